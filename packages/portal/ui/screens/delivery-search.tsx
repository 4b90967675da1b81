import { useRef, useState } from 'preact/hooks'
import { ApiError } from '../api/http.ts'
import type { Attempt } from '../api/types.ts'
import { SearchFilter } from '../parts/filter.tsx'
import { ErrorNotice } from '../parts/notice.tsx'
import { type Portal, usePortal } from '../portal.ts'
import { useHere } from '../use-action.ts'
import { DEFAULTS, type Filters, isStatus, readSearch } from './delivery-filters.ts'

/** Among so many deliveries, a quote is found by its name. */
const MOST_PAGES = 10
const PAGE = 100

/** The newest delivery of a quote whose name has the text. */
async function findName({ deliveries }: Portal['client'], text: string): Promise<Attempt | null> {
  const wanted = text.toLowerCase()
  let cursor: string | null = null
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const found = await deliveries.list({ attempts: 'latest', limit: PAGE, cursor })
    const named = found.items.find(({ quotation_name }) => quotation_name?.toLowerCase().includes(wanted))
    if (named !== undefined) return named
    cursor = found.next
    if (cursor === null) return null
  }
  return null
}

/** Finds a delivery by its ID, and deliveries by an event, a status, or a quote: its ID, the partner's own, or its name. */
export function Search({
  filters,
  onChange,
}: {
  filters: Filters
  onChange: (change: Partial<Filters>) => void
}) {
  const { t, client, navigation } = usePortal()
  const [isUnknown, setUnknown] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const turn = useRef(0)
  const here = useHere()
  const show = (found: Partial<Filters>) => onChange({ ...DEFAULTS, span: 'all', ...found })

  async function findId(id: string): Promise<() => void> {
    const delivery = await client.deliveries.get(id).catch((failure: unknown) => {
      if (failure instanceof ApiError && failure.status === 404) return null
      throw failure
    })
    if (delivery !== null) return () => navigation.go({ view: 'deliveries', id })
    const event = `evt_${id}`
    const { items } = await client.deliveries.list({ event_id: event, limit: 1 })
    return () => show(items.length > 0 ? { event } : { quote: id })
  }

  async function findText(text: string): Promise<() => void> {
    const { items } = await client.deliveries.list({ external_id: text, limit: 1 })
    if (items.length > 0) return () => show({ external: text })
    const named = await findName(client, text)
    const quote = named?.quotation_id ?? null
    return quote === null ? () => setUnknown(true) : () => show({ quote })
  }

  /** @returns what shows it */
  async function find(text: string): Promise<() => void> {
    const search = readSearch(text)
    switch (search.kind) {
      case 'nothing':
        return () => onChange(DEFAULTS)
      case 'event':
        return () => show({ event: search.value })
      case 'status':
        return () => show({ answer: search.value })
      case 'id':
        return findId(search.value)
      case 'text':
        return findText(search.value)
    }
  }

  /** The last search counts, however long an earlier one takes. */
  async function search(text: string) {
    turn.current += 1
    const own = turn.current
    setUnknown(false)
    setError(null)
    try {
      const found = await find(text)
      if (own === turn.current && here.current) found()
    } catch (failure) {
      if (own === turn.current) setError(failure)
    }
  }

  const { event, quote, external, answer } = filters
  return (
    <>
      <div class="filters">
        <SearchFilter
          label={t('deliveries.search')}
          value={event || quote || external || (isStatus(answer) ? answer : '')}
          onSearch={(text) => void search(text)}
        />
      </div>
      <p class="hint" role="status">
        {isUnknown && t('deliveries.search.unknown')}
      </p>
      <ErrorNotice error={error} />
    </>
  )
}
