use Mojolicious::Lite -signatures;
use Mojo::Server::Daemon;
require "$ENV{RECEIVERS}/perl/verify.pl";

app->log->level('fatal');

post '/hook' => sub ($c) {
    my $genuine = verify(
        body       => __RAW_BODY__,
        timestamp  => __TIMESTAMP__,
        signatures => [__SIGNATURE__, __PREVIOUS__],
        secrets    => [$ENV{WEBHOOK_SECRET}],
    );
    $c->rendered($genuine ? 204 : 401);
};

my $daemon = Mojo::Server::Daemon->new(app => app, listen => ['http://127.0.0.1'], silent => 1)->start;
$| = 1;
print '127.0.0.1:', $daemon->ports->[0], "\n";
Mojo::IOLoop->start;
