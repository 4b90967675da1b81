require_relative "verify"

$stdin.each_line do |line|
  now, *fields = line.split
  timestamp, signature, previous, secrets, body, id =
    fields.map { |field| field == "-" ? "" : field.unpack1("m0").force_encoding("UTF-8") }
  received = { body: body, timestamp: timestamp, now: Time.at(now.to_i) }
  genuine =
    if id
      verify_standard(**received, id: id, signatures: signature, secret: secrets)
    else
      verify(
        **received,
        signatures: [signature, previous.empty? ? nil : previous],
        secrets: secrets.empty? ? [""] : secrets.split("\n")
      )
    end
  puts genuine ? "valid" : "refused"
rescue ArgumentError => error
  puts error.message
end
