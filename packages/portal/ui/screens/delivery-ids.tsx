import type { ComponentChildren } from 'preact'
import type { Delivery } from '../api/types.ts'
import type { Place } from '../navigation.ts'
import { Fact } from '../parts/card.tsx'
import { Copyable } from '../parts/copy.tsx'
import { Link } from '../parts/link.tsx'
import { usePortal } from '../portal.ts'

/** What support asks for, and what belongs together. */
export function Ids({ delivery }: { delivery: Delivery }) {
  const { t } = usePortal()
  const { id, event_id, quotation_id, resent_from, resent_as } = delivery
  const all = (query: Place['query']) => (
    <Link to={{ view: 'deliveries', query: { ...query, span: 'all' } }}>{t('delivery.all')}</Link>
  )
  const other = (resent: string) => (
    <Link to={{ view: 'deliveries', id: resent }}>
      <code>{resent}</code>
    </Link>
  )
  return (
    <section class="card" aria-label={t('delivery.ids')}>
      <dl class="facts">
        <Id name={t('delivery.id')} id={id} />
        <Id name={t('delivery.event-id')} id={event_id}>
          {all({ event: event_id })}
        </Id>
        {quotation_id !== null && (
          <Id name={t('delivery.quote-id')} id={quotation_id}>
            {all({ quote: quotation_id })}
          </Id>
        )}
        {resent_from !== null && <Fact name={t('delivery.resent-from')}>{other(resent_from)}</Fact>}
        {resent_as !== null && <Fact name={t('delivery.resent-as')}>{other(resent_as)}</Fact>}
      </dl>
    </section>
  )
}

function Id({ name, id, children }: { name: string; id: string; children?: ComponentChildren }) {
  return (
    <Fact name={name}>
      <Copyable text={id} label={name} />
      {children}
    </Fact>
  )
}
