use strict;
use warnings;
use Digest::SHA qw(hmac_sha256 hmac_sha256_hex);
use MIME::Base64 qw(decode_base64 encode_base64);

my $TOLERANCE_SECONDS = 300;

# Whether a webhook is genuine and recent.
#
# body: the raw request body. timestamp: the value of X-Service-Timestamp. signatures: the values of X-Service-Signature
# and X-Service-Signature-Previous, undef if absent. secrets: the signing secrets, whsec_ included; several while you
# replace one. Dies if a secret is missing or surrounded by white space or quotes: respond with 500.
sub verify {
    my (%received) = @_;
    my @secrets = @{ $received{secrets} };
    check_secret($_) for (@secrets ? @secrets : (undef));
    return 0 unless is_recent(@received{qw(timestamp now)});
    my @sent = map { split /[\s,]+/ } grep { defined } @{ $received{signatures} };
    for my $secret (@secrets) {
        my $expected = 'v1=' . hmac_sha256_hex("$received{timestamp}.$received{body}", $secret);
        return 1 if grep { same($expected, $_) } @sent;
    }
    return 0;
}

# The same with the headers of Standard Webhooks. id, timestamp and signatures: the values of webhook-id,
# webhook-timestamp and webhook-signature, undef if missing. secret: the signing secret.
sub verify_standard {
    my (%received) = @_;
    my ($id, $timestamp, $secret) = @received{qw(id timestamp secret)};
    check_secret($secret);
    die "The signing secret is not Base64 after whsec_.\n" unless $secret =~ m{\A(?:whsec_)?[A-Za-z0-9+/]{2,}={0,2}\z};
    return 0 unless length($id // '') && is_recent($timestamp, $received{now});
    my $key = decode_base64($secret =~ s/\Awhsec_//r);
    my $expected = 'v1,' . encode_base64(hmac_sha256("$id.$timestamp.$received{body}", $key), '');
    return 0 + grep { same($expected, $_) } split / /, $received{signatures} // '';
}

sub check_secret {
    my ($secret) = @_;
    die "The signing secret is missing or empty. Is its environment variable set?\n"
        if ($secret // '') =~ /\A(?:whsec_)?\z/;
    die "The signing secret has white space or quotes around it. Remove them where the secret is set.\n"
        if $secret =~ /\A[\s"'`]|[\s"'`]\z/;
}

sub is_recent {
    my ($timestamp, $now) = @_;
    return ($timestamp // '') =~ /\A[0-9]{10}\z/ && abs(($now // time) - $timestamp) <= $TOLERANCE_SECONDS;
}

# Compares every character, so that the duration does not reveal how much of a guess was right.
sub same {
    my ($expected, $sent) = @_;
    utf8::encode($sent) if utf8::is_utf8($sent);
    return length $expected == length $sent && (($expected ^ $sent) =~ tr/\0//c) == 0;
}

1;
