class AhmaMcp < Formula
  desc "@DESCRIPTION@"
  homepage "@PAGE@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

@SOURCES@

  def install
    bin.install "ahma_mcp"
    generate_completions_from_executable(bin/"ahma_mcp", "completions")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/ahma_mcp --version")
  end
end
