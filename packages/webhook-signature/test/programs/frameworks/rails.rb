require "logger"
require "puma"
require "rails"
require "action_controller/railtie"
require "verify"

class Application < Rails::Application
  config.eager_load = false
  config.secret_key_base = "for tests"
  config.logger = Logger.new(nil)
  config.hosts.clear
  routes.append do
    post "hook", to: "hooks#receive"
    post "protected", to: "protected_hooks#receive"
  end
end

# As in new applications, by `config.load_defaults`.
class ProtectedHooksController < ActionController::Base
  protect_from_forgery with: :exception

  def receive
    body = __RAW_BODY__
    signatures = [__SIGNATURE__, __PREVIOUS__]
    secrets = [ENV["WEBHOOK_SECRET"]]
    head verify(body: body, timestamp: __TIMESTAMP__, signatures: signatures, secrets: secrets) ? 204 : 401
  end
end

class HooksController < ProtectedHooksController
  skip_forgery_protection
end

Application.initialize!
server = Puma::Server.new(Application)
server.add_tcp_listener("127.0.0.1", 0)
puts "127.0.0.1:#{server.connected_ports.first}"
$stdout.flush
server.run.join
