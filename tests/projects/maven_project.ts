import type { Project } from "./project.ts";

/** Java that starts in less time and is slower later. */
export const QUICK =
  "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote";

/**
 * Tests that use temporary files, a thread, a server on localhost and a dependency. Maven fetches what runs them, in a second
 * Java; they are compiled without it, because its compiler is two hundred more files of the same kind.
 */
export const MAVEN_PROJECT: Project = {
  name: "maven",
  programs: ["mvn", "javac"],
  files: {
    ".mvn/jvm.config": `${QUICK}\n`,
    "pom.xml": `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>invalid.example</groupId>
  <artifactId>greeting</artifactId>
  <version>1.0</version>
  <properties><argLine>${QUICK}</argLine></properties>
  <dependencies>
    <dependency><groupId>org.hamcrest</groupId><artifactId>hamcrest-core</artifactId><version>1.3</version></dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin>
        <artifactId>maven-surefire-plugin</artifactId>
        <version>3.5.2</version>
        <configuration><trimStackTrace>false</trimStackTrace></configuration>
      </plugin>
    </plugins>
  </build>
</project>
`,
    "GreetingTest.java": `import java.io.File;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;

public class GreetingTest {
  private static void same(Object left, Object right) {
    if (!left.equals(right)) throw new AssertionError(left + " is not " + right);
  }

  public void testFilesAreWritten() throws Exception {
    File file = File.createTempFile("greeting", null);
    Files.writeString(file.toPath(), "hello");
    same("hello", Files.readString(file.toPath()));
    same(true, file.delete());
  }

  public void testTheDependencyIsThere() throws Exception {
    Class.forName("org.hamcrest.CoreMatchers");
  }

  public void testLocalhostAnswers() throws Exception {
    try (ServerSocket server = new ServerSocket(0)) {
      Thread thread = new Thread(() -> {
        try (Socket one = server.accept()) { one.getOutputStream().write("hello you".getBytes()); }
        catch (Exception error) { throw new RuntimeException(error); }
      });
      thread.start();
      try (Socket client = new Socket("localhost", server.getLocalPort())) {
        same("hello you", new String(client.getInputStream().readAllBytes()));
      }
      thread.join();
    }
  }
}
`,
  },
  cold: `javac ${QUICK.replaceAll("-XX", "-J-XX")} -d target/test-classes GreetingTest.java && ` +
    "mvn -q -B -ntp surefire:test && cat target/surefire-reports/*.txt && echo built",
  expected: /^Tests run: 3, Failures: 0, Errors: 0[^]*^built$/m,
  warm: "mvn -B -ntp -o surefire:test -DskipTests",
  expectedWarm: /Tests are skipped[^]*BUILD SUCCESS/,
};
