require "puma"
require "rack"
require "verify"

app = lambda do |env|
  request = Rack::Request.new(env)
  body = __RAW_BODY__
  signatures = [__SIGNATURE__, __PREVIOUS__]
  genuine = verify(body: body, timestamp: __TIMESTAMP__, signatures: signatures, secrets: [ENV["WEBHOOK_SECRET"]])
  [genuine ? 204 : 401, {}, []]
end

server = Puma::Server.new(app)
server.add_tcp_listener("127.0.0.1", 0)
puts "127.0.0.1:#{server.connected_ports.first}"
$stdout.flush
server.run.join
