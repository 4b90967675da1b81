import { DEMO_PASSWORD } from './members.ts'

/** Commands for a POSIX shell, in an order that works. */
export function curlLines(known: {
  apiUrl: string
  apiKey: string
  organizationId: string
  quotationId: string
  proposalId: string
  receiverUrl: string
}): string {
  const login = JSON.stringify({ email: 'admin@acme.example', password: DEMO_PASSWORD })
  const quote = JSON.stringify({ name: 'A web shop', requirementsText: '- Sells tea\n- Ships to Europe' })
  const failing = JSON.stringify({
    requirementsText: 'A run that fails.',
    metadata: { demo: { step_ms: 50, fail_at: 'work_breakdown' } },
  })
  const key = JSON.stringify({ name: 'My own key', expires_at: inDays(30) })
  // Disabled, because the receiver here only knows the secret of its own endpoint.
  const endpoint = JSON.stringify({
    name: 'My own endpoint',
    url: known.receiverUrl,
    events: ['quotation.completed', 'quotation.failed'],
    is_enabled: false,
  })
  return `API=${known.apiUrl}
KEY=${known.apiKey}
QUOTATION=${known.quotationId}
PROPOSAL=${known.proposalId}
ORGANIZATION=${known.organizationId}

# Read what the quote became
curl -sSw '\\n' $API/v1/integrations/quotations/$QUOTATION -H "X-API-Key: $KEY"
curl -sSw '\\n' $API/v1/integrations/quotations/$QUOTATION/pipeline -H "X-API-Key: $KEY"
curl -sSw '\\n' $API/v1/integrations/quotations/$QUOTATION/proposal -H "X-API-Key: $KEY"

# Download the proposal; -k because the certificate of the example is self-signed
URL=$(curl -sS $API/v1/integrations/proposals/$PROPOSAL/document-url -H "X-API-Key: $KEY" | ${field('url')})
curl -sSk "$URL" -o proposal.pdf

# Start another quote, and one that fails; their webhooks appear where the demo runs
curl -sSw '\\n' $API/v1/integrations/quotations -H "X-API-Key: $KEY" -H 'Content-Type: application/json' -d '${quote}'
curl -sSw '\\n' $API/v1/integrations/quotations -H "X-API-Key: $KEY" -H 'Content-Type: application/json' -d '${failing}'

# Start one from a file, once however often the line is repeated
printf '%s\\n' '# A tea shop' '- Sells tea' > requirements.md
curl -sSw '\\n' $API/v1/integrations/quotations -H "X-API-Key: $KEY" -H 'Idempotency-Key: tea-shop-1' -F name='Tea shop' -F files=@requirements.md

# Sign in as an admin, and create a key and an endpoint
TOKEN=$(curl -sS $API/login -H 'Content-Type: application/json' -d '${login}' | ${field('token')})
curl -sSw '\\n' $API/v1/organizations/$ORGANIZATION/api-keys -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '${key}'
curl -sSw '\\n' $API/v1/organizations/$ORGANIZATION/webhooks -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '${endpoint}'

# The documentation of all routes: ${known.apiUrl}/api-docs`
}

/** Extracts one field of a JSON response with tools that every system has. */
function field(name: string): string {
  return `node -pe 'JSON.parse(fs.readFileSync(0)).${name}'`
}

function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString()
}
