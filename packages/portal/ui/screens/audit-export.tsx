import type { Query } from '../api/client.ts'
import type { AuditEntry } from '../api/types.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNotice } from '../parts/notice.tsx'
import { usePortal } from '../portal.ts'
import { useAction } from '../use-action.ts'
import { actionOf, useChangeText } from './audit-changes.tsx'

const PAGE = 100
const MOST_PAGES = 100

/** Saves the entries that match the filters, at most 10,000, as CSV. */
export function ExportAuditLog({ query }: { query: Query }) {
  const { t, client } = usePortal()
  const action = useAction()
  const { nameOf, value } = useChangeText()

  async function save() {
    const entries: AuditEntry[] = []
    let cursor: string | null | undefined
    for (let page = 0; page < MOST_PAGES && cursor !== null; page++) {
      const { items, next } = await client.auditLog({ ...query, limit: PAGE, cursor })
      entries.push(...items)
      cursor = next
    }
    const heads = ['audit.when', 'audit.who', 'audit.from', 'audit.what', 'audit.changes'] as const
    const rows = entries.map((entry) => [
      ...[
        entry.created_at,
        entry.actor_name ?? entry.actor_id ?? t('audit.service'),
        entry.client_address ?? '',
      ],
      t(actionOf(entry), { name: entry.resource_name }),
      entry.changes
        .map(({ field, from, to }) => lineOf(nameOf(field), value(field, from), value(field, to)))
        .join('; '),
    ])
    download('audit-log.csv', [heads.map((head) => t(head)), ...rows])
  }
  return (
    <>
      <ErrorNotice error={action.error} />
      <Button isBusy={action.isRunning} onClick={() => void action.run(save)}>
        {t('audit.export')}
      </Button>
    </>
  )
}

const lineOf = (name: string, from: string, to: string) =>
  `${name}${from === '' ? '' : ` ${from} →`}${to === '' ? '' : ` ${to}`}`

function download(name: string, rows: readonly (readonly string[])[]): void {
  // The mark says that it is UTF-8 to spreadsheets.
  const text = `\uFEFF${rows.map((row) => row.map(cellOf).join(',')).join('\r\n')}\r\n`
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  Object.assign(link, { href: url, download: name }).click()
  URL.revokeObjectURL(url)
}

/** A cell that spreadsheets do not take for a formula, whatever a partner has named something. */
function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}
