import com.standardwebhooks.Webhook;
import java.net.http.HttpHeaders;
import java.util.List;
import java.util.Map;

class Verify {
  public static void main(String[] arguments) throws Exception {
    var environment = System.getenv();
    String secret = environment.get("SECRET");
    String body = environment.get("BODY");
    HttpHeaders headers =
        HttpHeaders.of(
            Map.of(
                "webhook-id", List.of(environment.get("ID")),
                "webhook-timestamp", List.of(environment.get("TIMESTAMP")),
                "webhook-signature", List.of(environment.get("SIGNATURES"))),
            (name, value) -> true);
    try {
      __CALL__;
      System.out.println("valid");
    } catch (Exception error) {
      System.out.println("refused: " + error.getMessage());
    }
  }
}
