import { useState } from 'preact/hooks'
import type { CatalogEntry, EndpointInput, EndpointWithSecret, WebhookEndpoint } from '../api/types.ts'
import { Button } from '../parts/button.tsx'
import { Choice, TextField } from '../parts/field.tsx'
import { Skeleton } from '../parts/list-state.tsx'
import { ErrorNotice } from '../parts/notice.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { usePortal } from '../portal.ts'
import { useAction } from '../use-action.ts'
import { useLoaded } from '../use-loaded.ts'
import { EventTree } from './event-tree.tsx'
import { type HeaderField, HeaderFields, headersOf } from './header-fields.tsx'
import { ShowSecret } from './rotate-secret.tsx'

/** Creates or changes an endpoint. */
export function EndpointForm({ id }: { id: string | null }) {
  const { t, client } = usePortal()
  const loaded = useLoaded(`form ${id}`, async (signal) => {
    const [catalog, endpoint] = await Promise.all([
      client.events(signal),
      id === null ? null : client.endpoints.get(id, signal),
    ])
    return { catalog, endpoint }
  })
  const title =
    id === null ? t('endpoints.add') : t('endpoints.edit', { name: loaded.value?.endpoint?.name ?? '' })
  return (
    <>
      <PageHead title={title} above={{ label: t('endpoints.title'), view: 'endpoints' }} />
      {loaded.value === undefined && loaded.error === undefined && <Skeleton />}
      {loaded.value === undefined ? (
        <ErrorNotice error={loaded.error} onRetry={() => void loaded.reload()} />
      ) : (
        <Fields catalog={loaded.value.catalog} endpoint={loaded.value.endpoint} />
      )}
    </>
  )
}

function Fields({
  catalog,
  endpoint,
}: {
  catalog: readonly CatalogEntry[]
  endpoint: WebhookEndpoint | null
}) {
  const { t, client, navigation, announcement } = usePortal()
  const [base, setBase] = useState(endpoint)
  const [name, setName] = useState(endpoint?.name ?? '')
  const [url, setUrl] = useState(endpoint?.url ?? '')
  const [description, setDescription] = useState(endpoint?.description ?? '')
  const [events, setEvents] = useState<ReadonlySet<string>>(
    new Set(endpoint?.events ?? catalog.map(({ type }) => type)),
  )
  const [mode, setMode] = useState(endpoint?.trigger_mode ?? 'headless_only')
  const [ordering, setOrdering] = useState(endpoint?.ordering ?? 'none')
  const [removedHeaders, setRemovedHeaders] = useState<ReadonlySet<string>>(new Set())
  const [addedHeaders, setAddedHeaders] = useState<readonly HeaderField[]>([])
  const [created, setCreated] = useState<EndpointWithSecret | null>(null)
  const [newer, setNewer] = useState<WebhookEndpoint | null>(null)
  const [wasSent, setSent] = useState(false)
  const action = useAction()

  const input: EndpointInput = {
    name: name.trim(),
    url: url.trim(),
    description: description.trim() === '' ? null : description.trim(),
    events: catalog.map(({ type }) => type).filter((type) => events.has(type)),
    trigger_mode: mode,
    ordering,
  }
  const headers = headersOf(removedHeaders, addedHeaders)
  const problems = wasSent ? problemsOf(input) : {}
  const back = () =>
    navigation.go(endpoint === null ? { view: 'endpoints' } : { view: 'endpoints', id: endpoint.id })

  async function save() {
    setSent(true)
    if (Object.keys(problemsOf(input)).length > 0) return
    if (base === null)
      return setCreated(await client.endpoints.create({ ...input, ...(headers && { headers }) }))
    const current = await client.endpoints.get(base.id)
    if (current.updated_at !== base.updated_at) {
      setNewer(current)
      setBase(current)
      return
    }
    setNewer(null)
    // Compared with the initial values, so that others' changes are kept.
    const changes = { ...changedFields(endpoint ?? base, input), ...(headers && { headers }) }
    if (Object.keys(changes).length > 0) await client.endpoints.update(base.id, changes)
    announcement.value = t('action.saved')
    back()
  }

  return (
    <form
      class="card form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void action.run(save)
      }}
    >
      <TextField
        label={t('endpoints.name')}
        hint={t('endpoints.name.hint')}
        value={name}
        maxLength={200}
        onInput={setName}
        error={problems.name === undefined ? action.fieldError('name') : t(problems.name)}
      />
      <TextField
        type="url"
        label={t('endpoints.url')}
        hint={t('endpoints.url.hint')}
        placeholder="https://"
        value={url}
        maxLength={2048}
        onInput={setUrl}
        error={problems.url === undefined ? action.fieldError('url') : t(problems.url)}
      />
      <TextField
        label={t('endpoints.description')}
        isOptional={t('optional')}
        value={description}
        onInput={setDescription}
        error={action.fieldError('description')}
      />
      <EventTree
        catalog={catalog}
        chosen={events}
        onChange={setEvents}
        error={problems.events === undefined ? action.fieldError('events') : t(problems.events)}
      />
      <Which mode={mode} onModeChange={setMode} ordering={ordering} onOrderingChange={setOrdering} />
      <HeaderFields
        known={base?.header_names ?? []}
        removed={removedHeaders}
        added={addedHeaders}
        error={action.fieldError('headers')}
        onRemovedChange={setRemovedHeaders}
        onAddedChange={setAddedHeaders}
      />
      {newer !== null && (
        <div class="notice" role="alert">
          <p>
            {t('endpoints.changed', {
              fields:
                Object.keys(changedFields(endpoint ?? newer, newer)).join(', ') ||
                t('endpoints.changed.elsewhere'),
            })}
          </p>
        </div>
      )}
      <ErrorNotice error={action.error} />
      <footer class="actions">
        <Button onClick={back}>{t('action.cancel')}</Button>
        <Button type="submit" kind="primary" isBusy={action.isRunning}>
          {endpoint === null
            ? t('endpoints.add')
            : newer === null
              ? t('action.save')
              : t('endpoints.changed.save')}
        </Button>
      </footer>
      {created !== null && (
        <ShowSecret
          endpoint={created}
          onStored={({ id }) => navigation.go({ view: 'endpoints', id }, { replace: true })}
        />
      )}
    </form>
  )
}

/** Which quotes, and in which order. */
function Which({
  mode,
  onModeChange,
  ordering,
  onOrderingChange,
}: {
  mode: EndpointInput['trigger_mode']
  onModeChange: (mode: EndpointInput['trigger_mode']) => void
  ordering: EndpointInput['ordering']
  onOrderingChange: (ordering: EndpointInput['ordering']) => void
}) {
  const { t } = usePortal()
  return (
    <>
      <Choice
        legend={t('endpoints.mode')}
        name="mode"
        value={mode}
        onChange={onModeChange}
        options={[
          {
            value: 'headless_only',
            label: t('endpoints.mode.headless_only'),
            hint: t('endpoints.mode.headless_only.hint'),
          },
          { value: 'always', label: t('endpoints.mode.always'), hint: t('endpoints.mode.always.hint') },
        ]}
      />
      <Choice
        legend={t('endpoints.ordering')}
        name="ordering"
        value={ordering}
        onChange={onOrderingChange}
        options={[
          {
            value: 'none',
            label: t('endpoints.ordering.none'),
            hint: t('endpoints.ordering.none.hint'),
          },
          {
            value: 'quotation',
            label: t('endpoints.ordering.quotation'),
            hint: t('endpoints.ordering.quotation.hint'),
          },
        ]}
      />
    </>
  )
}

type Problems = Partial<
  Record<'name' | 'url' | 'events', 'problem.required' | 'problem.https' | 'problem.events'>
>

/** Checks before sending. The API does the rest. */
function problemsOf({ name, url, events }: EndpointInput): Problems {
  return {
    ...(name === '' ? { name: 'problem.required' } : {}),
    ...(url.startsWith('https://') && URL.canParse(url)
      ? {}
      : { url: url === '' ? 'problem.required' : 'problem.https' }),
    ...(events.length === 0 ? { events: 'problem.events' } : {}),
  }
}

/** The changed fields. */
function changedFields(before: EndpointInput, after: EndpointInput): Partial<EndpointInput> {
  const changes: Partial<EndpointInput> = {}
  if (after.name !== before.name) changes.name = after.name
  if (after.url !== before.url) changes.url = after.url
  if ((after.description ?? '') !== (before.description ?? '')) changes.description = after.description
  if (after.events.toSorted().join() !== before.events.toSorted().join()) changes.events = after.events
  if (after.trigger_mode !== before.trigger_mode) changes.trigger_mode = after.trigger_mode
  if (after.ordering !== before.ordering) changes.ordering = after.ordering
  return changes
}
