import type { ComponentChildren } from 'preact'

interface ButtonProps {
  children: ComponentChildren
  kind?: 'primary' | 'danger' | 'quiet' | undefined
  type?: 'button' | 'submit'
  /** Shows that it is busy and ignores clicks. */
  isBusy?: boolean
  disabled?: boolean
  label?: string
  form?: string
  onClick?: () => void
}

export function Button({
  children,
  kind,
  type = 'button',
  isBusy = false,
  disabled = false,
  ...rest
}: ButtonProps) {
  const { label, form, onClick } = rest
  return (
    <button
      type={type}
      class={kind === undefined ? 'button' : `button ${kind}`}
      aria-label={label}
      aria-busy={isBusy || undefined}
      disabled={disabled}
      form={form}
      onClick={() => {
        if (!isBusy) onClick?.()
      }}
    >
      {children}
    </button>
  )
}
