import type { AuditChange, AuditEntry } from '../api/types.ts'
import { Breakable } from '../parts/breakable.tsx'
import { Link } from '../parts/link.tsx'
import { usePortal } from '../portal.ts'

/** The most that are shown of one entry before somebody asks for the others. */
const MOST_SHOWN = 3

/** What an entry of the audit log changed, in words. */
export function Changes({ entry }: { entry: AuditEntry }) {
  const { t } = usePortal()
  const changes = changesOf(entry)
  if (changes.length === 0) return <span class="muted">{t('none')}</span>
  const rest = changes.slice(MOST_SHOWN)
  const line = (change: AuditChange) => <Change key={change.field} change={change} />
  return (
    <>
      <ul>{changes.slice(0, MOST_SHOWN).map(line)}</ul>
      {rest.length > 0 && (
        <details>
          <summary>{t('audit.more', { count: rest.length })}</summary>
          <ul>{rest.map(line)}</ul>
        </details>
      )}
    </>
  )
}

function Change({ change }: { change: AuditChange }) {
  const { shows } = usePortal()
  const { field, from, to } = change
  const { nameOf, value } = useChangeText()
  const name = <span class="muted">{nameOf(field)}</span>
  if (isDelivery(field) && shows('deliveries')) {
    return (
      <li>
        <Link to={{ view: 'deliveries', id: String(to) }}>{nameOf(field)}</Link>
      </li>
    )
  }
  if (Array.isArray(to)) {
    const before = Array.isArray(from) ? from : []
    return (
      <li>
        {name}{' '}
        {to
          .filter((each) => !before.includes(each))
          .map((each) => (
            <ins key={each}>
              + <Breakable text={each} />{' '}
            </ins>
          ))}
        {before
          .filter((each) => !to.includes(each))
          .map((each) => (
            <del key={each}>
              − <Breakable text={each} />{' '}
            </del>
          ))}
      </li>
    )
  }
  return (
    <li>
      {name}{' '}
      {from !== undefined && from !== null && (
        <>
          <del>{value(field, from)}</del> <span aria-hidden="true">→</span>{' '}
        </>
      )}
      {to !== undefined && to !== null && <ins>{value(field, to)}</ins>}
    </li>
  )
}

/** The words of a recorded field and its values, as their screens have them. */
export function useChangeText() {
  const { t, has, format } = usePortal()
  const nameOf = (field: string) => {
    const key = `audit.field.${field}`
    return has(key) ? t(key) : field
  }
  const value = (field: string, recorded: AuditChange['to']): string => {
    if (recorded === undefined || recorded === null) return ''
    if (typeof recorded === 'boolean') return t(recorded ? 'yes' : 'no')
    if (typeof recorded !== 'string') return recorded.join(', ')
    const key = (WORDS[field] ?? []).map((words) => `${words}.${recorded}`).find(has)
    if (key !== undefined && has(key)) return t(key)
    return TIMESTAMP.test(recorded) ? format.exact(recorded) : recorded
  }
  return { nameOf, value }
}

/** Where the values of a field have texts. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  trigger_mode: ['endpoints.mode'],
  ordering: ['endpoints.ordering'],
  status: ['keys.status', 'replay.which'],
}

const isDelivery = (field: string) => field === 'delivery_id' || field === 'resent_as'

/** What words can say: not the id of a replay, and of something new only what it was given besides its name. */
function changesOf(entry: AuditEntry): readonly AuditChange[] {
  const { action } = entry
  const changes = entry.changes.filter(
    ({ field }) => field !== 'replay_id' && (field !== 'is_enabled' || entry.changes.length > 1),
  )
  if (!action.endsWith('.created')) return changes
  return changes.filter(({ field, to }) => field !== 'name' && to !== undefined && to !== null)
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** The text of what was done: an endpoint that was only enabled was not "changed". */
export function actionOf({ action, changes }: AuditEntry) {
  const [first, ...others] = changes
  return first?.field === 'is_enabled' && first.to === true && others.length === 0
    ? 'audit.webhook_endpoint.enabled'
    : (`audit.${action}` as const)
}
