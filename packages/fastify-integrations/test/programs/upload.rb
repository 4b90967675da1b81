# Starts a quote from two files, with Ruby's net/http.
require 'net/http'

url, key, first, second, text, metadata = ARGV
uri = URI(url)
request = Net::HTTP::Post.new(uri, 'X-API-Key' => key)
request.set_form([
  ['requirementsText', text],
  ['metadata', metadata],
  ['files[]', File.open(first), { filename: File.basename(first) }],
  ['files[]', File.open(second), { filename: File.basename(second) }]
], 'multipart/form-data')
puts Net::HTTP.start(uri.host, uri.port) { |http| http.request(request).body }
