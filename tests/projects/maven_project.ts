import type { Project } from "./project.ts";

/** A library with JUnit tests that use temporary files, a thread and a server on localhost; tests run in a second Java. */
export const MAVEN_PROJECT: Project = {
  name: "maven",
  programs: ["mvn", "javac"],
  files: {
    ".mvn/jvm.config": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC\n",
    "pom.xml": `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>invalid.example</groupId>
  <artifactId>greeting</artifactId>
  <version>1.0</version>
  <properties>
    <maven.compiler.source>11</maven.compiler.source>
    <maven.compiler.target>11</maven.compiler.target>
    <argLine>-XX:TieredStopAtLevel=1 -XX:+UseSerialGC</argLine>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency>
  </dependencies>
</project>
`,
    "src/main/resources/greeting.txt": "greeted\n",
    "src/main/java/greeting/Greeting.java": `package greeting;
public final class Greeting {
  public static String of(String name) { return "hello " + name; }
}
`,
    "src/test/java/greeting/GreetingTest.java": `package greeting;
import static org.junit.Assert.assertEquals;
import java.io.File;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class GreetingTest {
  @Rule public TemporaryFolder folder = new TemporaryFolder();

  @Test public void filesAreWritten() throws Exception {
    File file = File.createTempFile("greeting", null);
    Files.writeString(file.toPath(), Greeting.of("file"));
    assertEquals("hello file", Files.readString(file.toPath()));
    assertEquals(true, folder.newFile("x").exists() && file.delete());
  }

  @Test public void localhostAnswers() throws Exception {
    try (ServerSocket server = new ServerSocket(0)) {
      Thread thread = new Thread(() -> {
        try (Socket one = server.accept()) { one.getOutputStream().write(Greeting.of("you").getBytes()); }
        catch (Exception error) { throw new RuntimeException(error); }
      });
      thread.start();
      try (Socket client = new Socket("localhost", server.getLocalPort())) {
        assertEquals("hello you", new String(client.getInputStream().readAllBytes()));
      }
      thread.join();
    }
  }
}
`,
  },
  cold: "mvn -q -B -ntp test && cat target/surefire-reports/*.txt && echo built",
  expected: /^Tests run: 2, Failures: 0, Errors: 0[^]*^built$/m,
  warm: "mvn -q -B -ntp -o process-resources && cat target/classes/greeting.txt",
  expectedWarm: /^greeted$/m,
};
