/**
 * The outline of a flow: a small picture with its steps from top to bottom and its branches side by side.
 *
 * @module
 */
import { listsOf, type Step } from "./flow.ts"

/** A step of the picture. */
export interface OutlineBox {
  /** The x coordinate of the centre. */
  readonly x: number
  readonly y: number
  readonly kind: string
}

/** A line from the centre of a step to the next step. */
export interface OutlineLine {
  readonly from: readonly [x: number, y: number]
  readonly to: readonly [x: number, y: number]
}

/** The outline. Each step occupies a square of 1 by 1. */
export interface Outline {
  readonly width: number
  readonly height: number
  readonly boxes: ReadonlyArray<OutlineBox>
  readonly lines: ReadonlyArray<OutlineLine>
}

const empty: Outline = { width: 1, height: 0, boxes: [], lines: [] }

const moved = ({ boxes, height, lines, width }: Outline, x: number, y: number): Outline => ({
  width,
  height,
  boxes: boxes.map((box) => ({ ...box, x: box.x + x, y: box.y + y })),
  lines: lines.map(({ from, to }) => ({ from: [from[0] + x, from[1] + y], to: [to[0] + x, to[1] + y] }))
})

/** Places outlines side by side. */
const beside = (outlines: ReadonlyArray<Outline>): Outline => {
  let x = 0
  const placed = outlines.map((outline) => {
    const one = moved(outline, x, 0)
    x += outline.width
    return one
  })
  return {
    width: x,
    height: Math.max(...outlines.map(({ height }) => height)),
    boxes: placed.flatMap(({ boxes }) => boxes),
    lines: placed.flatMap(({ lines }) => lines)
  }
}

/** A step, with its branches below it. */
const ofStep = (step: Step): Outline => {
  const paths = listsOf(step).map(({ steps }) => outlineOf(steps))
  if (paths.length === 0)
    return { width: 1, height: 1, boxes: [{ x: 0.5, y: 0.5, kind: step.kind }], lines: [] }
  const below = moved(beside(paths), 0, 1)
  const middle = below.width / 2
  let x = 0
  const lines = paths.flatMap(({ height, width }): ReadonlyArray<OutlineLine> => {
    const to = [x + width / 2, 1.5] as const
    x += width
    return height === 0 ? [] : [{ from: [middle, 0.5], to }]
  })
  return {
    width: below.width,
    height: below.height + 1,
    boxes: [{ x: middle, y: 0.5, kind: step.kind }, ...below.boxes],
    lines: [...lines, ...below.lines]
  }
}

/** The outline of steps. */
export const outlineOf = (steps: ReadonlyArray<Step>): Outline => {
  const parts = steps.map(ofStep)
  const width = Math.max(1, ...parts.map((part) => part.width))
  let y = 0
  return parts.reduce<Outline>(
    (all, part, at) => {
      const placed = moved(part, (width - part.width) / 2, y)
      const line: OutlineLine = { from: [width / 2, y - 0.5], to: [width / 2, y + 0.5] }
      y += part.height
      return {
        width,
        height: y,
        boxes: [...all.boxes, ...placed.boxes],
        // The step after branches follows all of them, so its line begins midway between them.
        lines: [...all.lines, ...placed.lines, ...(at === 0 ? [] : [line])]
      }
    },
    { ...empty, width }
  )
}
