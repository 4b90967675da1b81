import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

final class Webhooks {
  private static final Duration TOLERANCE = Duration.ofMinutes(5);

  /**
   * Whether a webhook is genuine and recent.
   *
   * @param body the raw request body
   * @param timestamp the value of X-Service-Timestamp
   * @param signatures the values of X-Service-Signature and X-Service-Signature-Previous, as far as they came
   * @param secrets the signing secrets, whsec_ included; several while you replace one
   */
  static boolean verify(
      byte[] body, String timestamp, List<String> signatures, List<String> secrets, Instant now)
      throws GeneralSecurityException {
    if (timestamp == null || !timestamp.matches("[0-9]{10}") || secrets.contains("")) return false;
    Instant signedAt = Instant.ofEpochSecond(Long.parseLong(timestamp));
    if (Duration.between(signedAt, now).abs().compareTo(TOLERANCE) > 0) return false;

    for (String secret : secrets) {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
      mac.update((timestamp + ".").getBytes(UTF_8));
      byte[] expected = ("v1=" + HexFormat.of().formatHex(mac.doFinal(body))).getBytes(UTF_8);
      for (String sent : String.join(",", signatures).split(",")) {
        if (MessageDigest.isEqual(expected, sent.strip().getBytes(UTF_8))) return true;
      }
    }
    return false;
  }
}
