require_relative "verify"

$stdin.each_line do |line|
  now, *fields = line.split
  timestamp, signature, previous, secrets, body =
    fields.map { |field| field == "-" ? "" : field.unpack1("m0").force_encoding("UTF-8") }
  genuine = verify(
    body: body,
    timestamp: timestamp,
    signatures: [signature, previous.empty? ? nil : previous],
    secrets: secrets.empty? ? [""] : secrets.split("\n"),
    now: Time.at(now.to_i)
  )
  puts genuine ? "valid" : "refused"
end
