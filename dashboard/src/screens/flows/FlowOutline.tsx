/**
 * A small picture of a flow: its steps from top to bottom, each with the icon of its kind.
 *
 * @module
 */
import { classes } from "../../lib/classes.ts"
import type { Step } from "../../lib/flow.ts"
import { outlineOf } from "../../lib/outline.ts"
import styles from "./FlowOutline.module.css"

/** The size of a step's cell, in units of the picture. */
const placeWidth = 24
const placeHeight = 14
const boxWidth = 18
const boxHeight = 8

/** The least number of cells, so that the steps of short flows are not drawn larger than others. */
const leastWidth = 2
const leastHeight = 3

/** The colours by kind of step: emails, waits, branches. */
const tones: Readonly<Record<string, string | undefined>> = {
  SendEmail: styles["email"],
  Wait: styles["wait"],
  WaitUntil: styles["wait"],
  WaitForEvent: styles["wait"]
}

/** The picture. It is decorative: it contains nothing that the description lacks. */
export const FlowOutline = ({ steps }: { readonly steps: ReadonlyArray<unknown> }) => {
  const { boxes, height, lines, width } = outlineOf(steps as ReadonlyArray<Step>)
  const [across, down] = [Math.max(leastWidth, width), Math.max(leastHeight, height)]
  const view = [(width - across) / 2, (height - down) / 2, across, down].map(
    (places, at) => places * (at % 2 === 0 ? placeWidth : placeHeight)
  )
  return (
    <svg className={styles["outline"]} viewBox={view.join(" ")} aria-hidden="true">
      {lines.map(({ from, to }) => (
        <line
          key={`${from.join()} ${to.join()}`}
          x1={from[0] * placeWidth}
          y1={from[1] * placeHeight}
          x2={to[0] * placeWidth}
          y2={to[1] * placeHeight}
        />
      ))}
      {boxes.map(({ kind, x, y }) => (
        <rect
          key={`${x} ${y}`}
          className={classes(styles["step"], tones[kind])}
          x={x * placeWidth - boxWidth / 2}
          y={y * placeHeight - boxHeight / 2}
          width={boxWidth}
          height={boxHeight}
          rx={2}
        />
      ))}
    </svg>
  )
}
