require "puma"
require "sinatra/base"
require "verify"

class Hooks < Sinatra::Base
  post "/hook" do
    body = __RAW_BODY__
    signatures = [__SIGNATURE__, __PREVIOUS__]
    secrets = [ENV["WEBHOOK_SECRET"]]
    halt verify(body: body, timestamp: __TIMESTAMP__, signatures: signatures, secrets: secrets) ? 204 : 401
  end
end

server = Puma::Server.new(Hooks.new)
server.add_tcp_listener("127.0.0.1", 0)
puts "127.0.0.1:#{server.connected_ports.first}"
$stdout.flush
server.run.join
