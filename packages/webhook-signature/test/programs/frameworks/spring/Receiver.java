import java.time.Instant;
import java.util.Arrays;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.context.ServletWebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

@EnableAutoConfiguration
@RestController
class Receiver {
  @PostMapping("/hook")
  public ResponseEntity<Void> hook(
      __RAW_BODY__,
      __TIMESTAMP__ String timestamp,
      __SIGNATURE__ String signature,
      __PREVIOUS__ String previous)
      throws Exception {
    var secrets = Arrays.asList(System.getenv("WEBHOOK_SECRET"));
    boolean genuine =
        Webhooks.verify(body, timestamp, Arrays.asList(signature, previous), secrets, Instant.now());
    return ResponseEntity.status(genuine ? 204 : 401).build();
  }

  @EventListener
  public void started(ServletWebServerInitializedEvent event) {
    System.out.println("127.0.0.1:" + event.getWebServer().getPort());
  }

  public static void main(String[] arguments) {
    SpringApplication.run(
        Receiver.class, "--server.port=0", "--server.address=127.0.0.1", "--spring.main.banner-mode=off");
  }
}
