require "openssl"

TOLERANCE_SECONDS = 300

# Whether a webhook is genuine and recent.
#
# body: the raw request body. timestamp: the value of X-Service-Timestamp. signatures: the values of X-Service-Signature and
# X-Service-Signature-Previous, nil if absent. secrets: the signing secrets, whsec_ included; several while
# you replace one. Raises ArgumentError if a secret is missing or surrounded by white space or quotes: respond with 500.
def verify(body:, timestamp:, signatures:, secrets:, now: Time.now)
  check_secrets(secrets)
  return false unless recent?(timestamp, now)

  sent = signatures.compact.flat_map { |header| header.split(",") }.map(&:strip)
  expected = secrets.map do |secret|
    "v1=" + OpenSSL::HMAC.hexdigest("SHA256", secret, "#{timestamp}.".b + body.b)
  end
  expected.product(sent).any? { |pair| OpenSSL.secure_compare(*pair) }
end

# The same with the headers of Standard Webhooks. id, timestamp and signatures: the values of webhook-id, webhook-timestamp
# and webhook-signature, nil if missing.
def verify_standard(body:, id:, timestamp:, signatures:, secret:, now: Time.now)
  check_secrets([secret])
  return false if id.to_s.empty? || !recent?(timestamp, now)

  key = secret.delete_prefix("whsec_").unpack1("m0")
  digest = OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{timestamp}.".b + body.b)
  expected = "v1," + [digest].pack("m0")
  signatures.to_s.split(" ").any? { |sent| OpenSSL.secure_compare(expected, sent) }
end

def check_secrets(secrets)
  if secrets.empty? || secrets.any? { |secret| [nil, "", "whsec_"].include?(secret) }
    raise ArgumentError, "The signing secret is missing or empty. Is its environment variable set?"
  end
  return if secrets.none?(/\A[[:space:]"'`]|[[:space:]"'`]\z/)

  raise ArgumentError, "The signing secret has white space or quotes around it. Remove them where the secret is set."
end

def recent?(timestamp, now)
  /\A[0-9]{10}\z/.match?(timestamp.to_s) && (now.to_i - timestamp.to_i).abs <= TOLERANCE_SECONDS
end
