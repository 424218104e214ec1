/**
 * Texts to copy: code samples, and secrets that are shown once.
 *
 * @module
 */
import { type ReactNode, useState } from "react"
import { Tabs } from "../page/Tabs.tsx"
import { Banner } from "../page/Banner.tsx"
import styles from "./Code.module.css"
import { CopyButton } from "./CopyButton.tsx"

/** A text in a fixed-width font, with a button that copies it. */
export const Code = ({ children, label }: { readonly children: string; readonly label?: string }) => (
  <div className={styles["code"]}>
    {/* Scrollable content must be focusable for the keyboard. */}
    {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
    <pre tabIndex={0} role="group" aria-label={label ?? "Code"} dir="ltr">
      <code>{children}</code>
    </pre>
    <div className={styles["copy"]}>
      <CopyButton value={children} />
    </div>
  </div>
)

/** An id or a value in a fixed-width font on one line, with a button that copies it. */
export const Copied = ({ children }: { readonly children: string }) => (
  <span className={styles["copied"]}>
    <code title={children}>{children}</code>
    <CopyButton value={children} />
  </span>
)

/** The same sample in several languages, of which one is shown. */
export const CodeSample = ({
  label,
  samples
}: {
  readonly label: string
  readonly samples: ReadonlyArray<{ readonly name: string; readonly code: string }>
}) => {
  const [shown, setShown] = useState(samples[0]?.name ?? "")
  return (
    <div className={styles["sample"]}>
      <Tabs
        label={label}
        value={shown}
        onChange={setShown}
        tabs={samples.map(({ name }) => ({ value: name, label: name }))}
      />
      <Code label={label}>{samples.find(({ name }) => name === shown)?.code ?? ""}</Code>
    </div>
  )
}

/** A secret, shown by the dialog that created it. The owner must discard it when the dialog closes. */
export const SecretOnce = ({
  label,
  note,
  secret
}: {
  readonly label: string
  readonly secret: string
  /** Says that the secret is shown only once. */
  readonly note: ReactNode
}) => (
  <div className={styles["sample"]}>
    <Code label={label}>{secret}</Code>
    <Banner tone="warning">{note}</Banner>
  </div>
)
