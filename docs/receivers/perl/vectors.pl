use strict;
use warnings;
use FindBin;
use MIME::Base64 qw(decode_base64);
require "$FindBin::Bin/verify.pl";

while (my $line = <STDIN>) {
    my ($now, @fields) = split ' ', $line;
    my ($timestamp, $signature, $previous, $secrets, $body, $id) = map { $_ eq '-' ? '' : decode_base64($_) } @fields;
    my %received = (body => $body, timestamp => $timestamp, now => $now);
    my $genuine = eval {
        defined $id
            ? verify_standard(%received, id => $id, signatures => $signature, secret => $secrets)
            : verify(
                %received,
                signatures => [$signature, length $previous ? $previous : undef],
                secrets    => [$secrets eq '' ? undef : split /\n/, $secrets, -1],
            );
    };
    print defined $genuine ? ($genuine ? "valid\n" : "refused\n") : $@;
}
