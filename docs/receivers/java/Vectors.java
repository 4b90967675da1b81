import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

final class Vectors {
  public static void main(String[] arguments) throws Exception {
    var lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] fields = line.split(" ");
      Instant now = Instant.ofEpochSecond(Long.parseLong(fields[0]));
      String timestamp = text(fields[1]);
      String signature = text(fields[2]);
      String secrets = text(fields[4]);
      byte[] body = bytes(fields[5]);
      try {
        boolean genuine =
            fields.length > 6
                ? Webhooks.verifyStandard(body, text(fields[6]), timestamp, signature, secrets, now)
                : Webhooks.verify(
                    body,
                    timestamp,
                    List.of(signature, text(fields[3])),
                    secrets.isEmpty() ? Arrays.asList((String) null) : List.of(secrets.split("\n")),
                    now);
        System.out.println(genuine ? "valid" : "refused");
      } catch (IllegalArgumentException error) {
        System.out.println(error.getMessage());
      }
    }
  }

  private static byte[] bytes(String field) {
    return field.equals("-") ? new byte[0] : Base64.getDecoder().decode(field);
  }

  private static String text(String field) {
    return new String(bytes(field), UTF_8);
  }
}
