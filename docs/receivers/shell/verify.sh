# For bash. openssl takes keys as arguments, which other users of the machine can see while it runs: use this to debug a
# delivery, or where nobody else logs in.

# verify BODY_FILE TIMESTAMP SIGNATURES SECRET...: succeeds for a webhook that is genuine and recent. Returns 2, with the
# reason on stderr, if a secret is missing or surrounded by white space or quotes.
# TIMESTAMP is the value of X-Service-Timestamp. SIGNATURES is that of X-Service-Signature, followed by a comma and
# that of X-Service-Signature-Previous if present. Pass several secrets, whsec_ included, while you replace one.
verify() {
  local body=$1 timestamp=$2 signatures=$3 secret expected sent LC_ALL=C
  shift 3
  check_secrets "$@" || return 2
  is_recent "$timestamp" || return 1
  IFS=', ' read -ra signatures <<<"$signatures"
  for secret; do
    expected=v1=$({ printf '%s.' "$timestamp" && cat -- "$body"; } | hmac "$secret")
    for sent in "${signatures[@]}"; do
      same "$expected" "$sent" && return 0
    done
  done
  return 1
}

# verify_standard BODY_FILE ID TIMESTAMP SIGNATURES SECRET: the same with the headers of Standard Webhooks, the values of webhook-id,
# webhook-timestamp and webhook-signature.
verify_standard() {
  local body=$1 id=$2 timestamp=$3 signatures=$4 key expected sent LC_ALL=C
  check_secrets "$5" || return 2
  key=$(base64 -d <<<"${5#whsec_}" | od -An -v -tx1 | tr -d ' \n')
  [ -n "$key" ] || { echo 'The signing secret is not Base64 after whsec_.' >&2 && return 2; }
  { [ -n "$id" ] && is_recent "$timestamp"; } || return 1
  expected=v1,$({ printf '%s.%s.' "$id" "$timestamp" && cat -- "$body"; } |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)
  IFS=' ' read -ra signatures <<<"$signatures"
  for sent in "${signatures[@]}"; do
    same "$expected" "$sent" && return 0
  done
  return 1
}

check_secrets() {
  local secret around=$'[ \t\r\n"\'`]'
  for secret in "${@-}"; do
    case $secret in
      '' | whsec_) echo 'The signing secret is missing or empty. Is its environment variable set?' ;;
      $around* | *$around) echo 'The signing secret has white space or quotes around it. Remove them where the secret is set.' ;;
      *) continue ;;
    esac >&2
    return 1
  done
}

is_recent() {
  local age
  [[ $1 =~ ^[0-9]{10}$ ]] || return 1
  age=$((${NOW:-$(date +%s)} - $1))
  ((${age#-} <= 300))
}

hmac() {
  openssl dgst -sha256 -hmac "$1" -r | cut -c 1-64
}

# Compares HMACs with a random key, so that the duration reveals nothing.
same() {
  local key
  key=$(openssl rand -hex 32) && [ "$(hmac "$key" <<<"$1")" = "$(hmac "$key" <<<"$2")" ]
}
