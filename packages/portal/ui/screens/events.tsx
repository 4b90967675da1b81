import { Breakable } from '../parts/breakable.tsx'
import { Example } from '../parts/copy.tsx'
import { Pending } from '../parts/list.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { usePortal } from '../portal.ts'
import { useLoaded } from '../use-loaded.ts'

/** The event types, each with an example. */
export function Events() {
  const { t, client } = usePortal()
  const catalog = useLoaded('catalog', client.events)
  return (
    <>
      <PageHead title={t('events.title')} sub={t('events.sub')} />
      <Pending loaded={catalog} />
      {catalog.value !== undefined && (
        <div class="card catalog">
          {catalog.value.map(({ type, description, example }) => {
            const text = JSON.stringify(example, null, 2)
            return (
              <details key={type}>
                <summary>
                  <code>
                    <Breakable text={type} />
                  </code>
                  <span class="muted">{description}</span>
                </summary>
                <Example text={text} label={t('events.example', { type })} />
              </details>
            )
          })}
        </div>
      )}
    </>
  )
}
