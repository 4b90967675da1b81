import { ApiError } from './api/http.ts'
import type { Organization } from './api/types.ts'
import type { Translator } from './i18n/translate.ts'
import type { Navigation } from './navigation.ts'
import { Button } from './parts/button.tsx'
import { errorText, signInUrl } from './portal.ts'

interface StartProps {
  translator: Translator
  navigation: Navigation
  /** No organization is chosen, and there is none to choose. */
  isNowhere: boolean
  failure: unknown
  /** The browser is on its way to the sign-in page. */
  isLeaving: boolean
  signIn: string | undefined
  /** What to open instead of trying again. */
  others: readonly Organization[] | null
}

/** Before there is a member: loading, or why there is none. */
export function Start({ isNowhere, isLeaving, ...props }: StartProps) {
  const { translator, failure } = props
  return (
    <main class="portal start" lang={translator.locale} dir={translator.direction}>
      {isNowhere && <p class="notice">{translator.t('start.no-organization')}</p>}
      {failure !== undefined && !isLeaving && <Failure {...props} />}
      {!isNowhere && failure === undefined && <p class="hidden">{translator.t('loading')}</p>}
    </main>
  )
}

function Failure({
  translator,
  navigation,
  failure,
  signIn,
  others,
}: Omit<StartProps, 'isNowhere' | 'isLeaving'>) {
  const { t } = translator
  const status = failure instanceof ApiError ? failure.status : 0
  const { view } = navigation.place.value
  return (
    <div class="notice bad" role="alert">
      <p>{status === 400 || status === 404 ? t('error.NOT_A_MEMBER') : errorText(translator, failure)}</p>
      {status === 401 && signIn !== undefined ? (
        <a class="button" href={signInUrl(signIn)}>
          {t('session.sign-in')}
        </a>
      ) : others === null ? (
        <Button onClick={() => location.reload()}>{t('action.retry')}</Button>
      ) : (
        others.map(({ id, name }) => (
          <Button key={id} kind="primary" onClick={() => navigation.go({ organizationId: id, view })}>
            {t('start.open', { name: name ?? id })}
          </Button>
        ))
      )}
    </div>
  )
}
