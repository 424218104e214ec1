/**
 * The steps of a flow on a read-only canvas.
 *
 * @module
 */
import type { Ref } from "react"
import { useExtra } from "../../../api/queries.ts"
import { useAccount } from "../../../app/session.ts"
import type { Step } from "../../../lib/flow.ts"
import { Canvas, type Mark } from "./Canvas.tsx"
import styles from "./Canvas.module.css"
import { useDetails, withProperties } from "./useDetails.ts"

/** The canvas. */
export const ShownCanvas = ({
  label,
  marks,
  ref,
  steps
}: {
  readonly label: string
  readonly steps: ReadonlyArray<unknown>
  readonly marks: ReadonlyMap<string, Mark>
  readonly ref?: Ref<HTMLDivElement>
}) => {
  const { can, id: accountId } = useAccount()
  const parts = useExtra(
    "GET /accounts/:accountId/segments/fields",
    { params: { accountId } },
    { enabled: can("segments:read") }
  )
  const shown = steps as ReadonlyArray<Step>
  const details = useDetails(shown, parts === undefined ? undefined : withProperties(parts))
  return (
    // Scrollable content must be focusable for the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div ref={ref} className={styles["canvas"]} role="group" aria-label={label} tabIndex={0}>
      <Canvas steps={shown} details={details} marks={marks} actions={null} />
    </div>
  )
}
