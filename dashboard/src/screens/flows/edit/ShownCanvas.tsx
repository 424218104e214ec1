/**
 * The steps of a flow on a read-only canvas.
 *
 * @module
 */
import type { Ref } from "react"
import type { Step } from "../../../lib/flow.ts"
import { Canvas, type Mark } from "./Canvas.tsx"
import styles from "./Canvas.module.css"
import { useShownDetails } from "./useDetails.ts"

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
  const shown = steps as ReadonlyArray<Step>
  const details = useShownDetails(shown)
  return (
    // Scrollable content must be focusable for the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div ref={ref} className={styles["canvas"]} role="group" aria-label={label} tabIndex={0}>
      <Canvas steps={shown} details={details} marks={marks} actions={null} />
    </div>
  )
}
