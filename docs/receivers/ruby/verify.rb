require "openssl"

TOLERANCE_SECONDS = 300

# Whether a webhook is genuine and recent.
#
# body: the raw request body. timestamp: the value of X-Service-Timestamp. signatures: the values of X-Service-Signature and
# X-Service-Signature-Previous, nil where one did not come. secrets: the signing secrets, whsec_ included; several while
# you replace one.
def verify(body:, timestamp:, signatures:, secrets:, now: Time.now)
  return false if secrets.any?(&:empty?) || !/\A[0-9]{10}\z/.match?(timestamp.to_s)
  return false if (now.to_i - timestamp.to_i).abs > TOLERANCE_SECONDS

  sent = signatures.compact.flat_map { |header| header.split(",") }.map(&:strip)
  expected = secrets.map do |secret|
    "v1=" + OpenSSL::HMAC.hexdigest("SHA256", secret, "#{timestamp}.".b + body.b)
  end
  expected.product(sent).any? { |pair| OpenSSL.secure_compare(*pair) }
end
