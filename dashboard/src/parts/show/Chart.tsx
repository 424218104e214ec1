/**
 * Charts of numbers over time, drawn as SVG lines. Each has a table of its values, for copying and for screen readers.
 *
 * @module
 */
import { type PointerEvent, useEffect, useRef, useState } from "react"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { classes } from "../../lib/classes.ts"
import { areaOf, lineOf, pointsOf, roundedTop } from "../../lib/curve.ts"
import styles from "./Chart.module.css"

/** A named series of numbers. */
export interface Series {
  readonly name: string
  /** The values for the first labels, or for all of them. */
  readonly values: ReadonlyArray<number>
  readonly tone?: "accent" | "good" | "warning" | "bad" | "neutral"
}

const sparkWidth = 96
const sparkHeight = 24

/** A small line in a list or beside a number. For a rate from 0 to 1, `thresholds` are drawn as lines. */
export const Sparkline = ({
  label,
  thresholds = null,
  values
}: {
  readonly values: ReadonlyArray<number>
  readonly label: string
  /** The second threshold is drawn only once a value reaches the first one, so that low rates keep a visible shape. */
  readonly thresholds?: { readonly notice: number; readonly held: number } | null
}) => {
  const highest = Math.max(...values)
  const drawn =
    thresholds === null ? [] : [thresholds.notice, ...(highest < thresholds.notice ? [] : [thresholds.held])]
  const top = thresholds === null ? Math.max(1, highest) : Math.max(highest, ...drawn) * 1.1
  const points = pointsOf(values, sparkWidth, sparkHeight - 2, top)
  return (
    <svg
      className={styles["spark"]}
      viewBox={`0 -1 ${sparkWidth} ${sparkHeight}`}
      width={sparkWidth}
      height={sparkHeight}
      role="img"
      aria-label={label}
    >
      {pointsOf(drawn, 0, sparkHeight - 2, top).map(({ y }, index) => (
        <line
          key={y}
          x2={sparkWidth}
          y1={y}
          y2={y}
          className={classes(styles["limit"], styles[index === 0 ? "warning" : "bad"])}
        />
      ))}
      <path d={areaOf(points, sparkHeight - 2)} className={styles["area"]} />
      <path d={lineOf(points)} className={styles["line"]} />
    </svg>
  )
}

const height = 180
const foot = 24

/** The width of an element, as it changes. */
const useWidth = () => {
  const ref = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = ref.current
    if (element === null) return undefined
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, width] as const
}

/** The axis labels at equal distances, as many as fit, including the last one. */
const ticksOf = (count: number, width: number): ReadonlyArray<number> => {
  const step = Math.max(1, Math.ceil((count - 1) / Math.max(1, Math.floor(width / 80))))
  return Array.from({ length: Math.ceil(count / step) }, (_, back) => count - 1 - back * step).toReversed()
}

/** A chart with an area and a line for each series, over the times in `labels`. */
export const Chart = ({
  head,
  labels,
  series,
  title
}: {
  readonly title: string
  /** The name of the table's first column. */
  readonly head: string
  /** One label for each value. */
  readonly labels: ReadonlyArray<string>
  readonly series: ReadonlyArray<Series>
}) => {
  const format = useFormat()
  const texts = useTexts()
  const [ref, width] = useWidth()
  const [at, setAt] = useState<number | null>(null)
  const top = roundedTop(Math.max(1, ...series.flatMap(({ values }) => values)))
  const step = labels.length > 1 ? width / (labels.length - 1) : 0
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const { left } = event.currentTarget.getBoundingClientRect()
    setAt(
      step === 0 ? 0 : Math.min(labels.length - 1, Math.max(0, Math.round((event.clientX - left) / step)))
    )
  }
  return (
    <figure className={styles["figure"]}>
      <figcaption className={styles["caption"]}>
        <h2>{title}</h2>
        <ul className={styles["legend"]}>
          {series.map(({ name, tone = "accent", values }) => (
            <li key={name} className={styles[tone]}>
              {name}
              {at !== null && values[at] !== undefined && <strong>{format.number(values[at])}</strong>}
            </li>
          ))}
          {at !== null && <li className={styles["moment"]}>{labels[at]}</li>}
        </ul>
      </figcaption>
      <div ref={ref} className={styles["plot"]}>
        {width > 0 && (
          <svg
            width={width}
            height={height + foot}
            aria-hidden="true"
            onPointerMove={point}
            onPointerLeave={() => setAt(null)}
          >
            {[0, 0.5, 1].map((share) => (
              <g key={share}>
                <line
                  className={styles["grid"]}
                  x2={width}
                  y1={height - share * (height - 14)}
                  y2={height - share * (height - 14)}
                />
                <text className={styles["tick"]} y={height - share * (height - 14) - 4}>
                  {share === 0 || !Number.isInteger(top * share) ? "" : format.short(top * share)}
                </text>
              </g>
            ))}
            {series.map(({ name, tone = "accent", values }) => {
              const points = pointsOf(values, step * (values.length - 1), height - 14, top).map(
                ({ x, y }) => ({ x, y: y + 14 })
              )
              return (
                <g key={name} className={styles[tone]}>
                  <path d={areaOf(points, height)} className={styles["area"]} />
                  <path d={lineOf(points)} className={styles["line"]} />
                  {/* A single value has no line. */}
                  {points
                    .filter((_, index) => index === at || points.length === 1)
                    .map(({ x, y }) => (
                      <circle key={x} cx={x} cy={y} r="3.5" className={styles["dot"]} />
                    ))}
                </g>
              )
            })}
            {at !== null && (
              <line className={styles["cursor"]} x1={at * step} x2={at * step} y1={14} y2={height} />
            )}
            {ticksOf(labels.length, width).map((tick) => (
              <text
                key={tick}
                className={styles["tick"]}
                x={tick * step}
                y={height + 17}
                textAnchor={tick === 0 ? "start" : tick === labels.length - 1 ? "end" : "middle"}
              >
                {labels[tick]}
              </text>
            ))}
          </svg>
        )}
      </div>
      <details className={styles["table"]}>
        <summary>{texts.common.showTable}</summary>
        {/* Scrollable content must be focusable for the keyboard. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <div tabIndex={0} role="group" aria-label={title}>
          <table>
            <thead>
              <tr>
                <th scope="col">{head}</th>
                {series.map(({ name }) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {labels.map((label, row) => (
                <tr key={label}>
                  <th scope="row">{label}</th>
                  {series.map(({ name, values }) => (
                    <td key={name}>{values[row] === undefined ? "" : format.number(values[row])}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}
