import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { usePortal } from '../portal.ts'
import type { Action } from '../use-action.ts'
import { Button } from './button.tsx'
import { ErrorNotice } from './notice.tsx'

interface DialogProps {
  title: string
  children: ComponentChildren
  /** The buttons at its end. */
  footer: ComponentChildren
  isWide?: boolean
  /** Without it nothing closes the dialog but its own buttons: for what is shown once. */
  onClose?: (() => void) | undefined
}

/** A modal dialog for as long as it is rendered. Whoever opened it has the focus again afterwards. */
export function Dialog({ title, children, footer, isWide = false, onClose }: DialogProps) {
  const titleId = useId()
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={element}
      class={isWide ? 'wide' : undefined}
      aria-labelledby={titleId}
      onCancel={(event) => {
        if (event.target !== element.current) return
        event.preventDefault()
        onClose?.()
      }}
    >
      <h2 id={titleId}>{title}</h2>
      <div class="dialog-body">{children}</div>
      <footer>{footer}</footer>
    </dialog>
  )
}

/** A dialog with fields. What was typed stays when sending fails. */
export function FormDialog({
  title,
  submit,
  action,
  onSubmit,
  onClose,
  children,
  isWide,
  isDanger = false,
  isDisabled = false,
  close,
}: Omit<DialogProps, 'footer' | 'onClose'> & {
  submit: string
  action: Action
  onSubmit: () => Promise<void>
  onClose: () => void
  isDanger?: boolean
  isDisabled?: boolean
  /** What the button says that only closes. */
  close?: string
}) {
  const { t } = usePortal()
  const formId = useId()
  return (
    <Dialog
      title={title}
      isWide={isWide ?? false}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{close ?? t('action.cancel')}</Button>
          <Button
            type="submit"
            kind={isDanger ? 'danger' : 'primary'}
            form={formId}
            isBusy={action.isRunning}
            disabled={isDisabled}
          >
            {submit}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        onSubmit={(event) => {
          event.preventDefault()
          void action.run(onSubmit)
        }}
      >
        {children}
        <ErrorNotice error={action.error} />
      </form>
    </Dialog>
  )
}
