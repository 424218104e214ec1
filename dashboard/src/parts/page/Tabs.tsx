/**
 * Tabs that switch between views of the same screen.
 *
 * @module
 */
import { type KeyboardEvent, useRef } from "react"
import { classes } from "../../lib/classes.ts"
import styles from "./Tabs.module.css"

/** Tabs. The caller renders the view, and keeps the value in the URL if a link to the view can be shared. */
export const Tabs = <Value extends string>({
  label,
  onChange,
  tabs,
  value
}: {
  readonly label: string
  readonly value: Value
  readonly tabs: ReadonlyArray<{ readonly value: Value; readonly label: string }>
  readonly onChange: (value: Value) => void
}) => {
  const list = useRef<HTMLDivElement>(null)
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const direction = getComputedStyle(event.currentTarget).direction === "rtl" ? -step : step
    const at = (tabs.findIndex((tab) => tab.value === value) + direction + tabs.length) % tabs.length
    const next = tabs[at]
    if (next === undefined) return
    onChange(next.value)
    list.current?.querySelectorAll("button")[at]?.focus()
  }
  return (
    <div
      ref={list}
      role="tablist"
      aria-label={label}
      className={styles["tabs"]}
      onKeyDown={move}
      tabIndex={-1}
    >
      {tabs.map((tab) => (
        <button
          key={tab.value}
          type="button"
          role="tab"
          aria-selected={tab.value === value}
          tabIndex={tab.value === value ? 0 : -1}
          className={classes(styles["tab"], tab.value === value && styles["selected"])}
          onClick={() => onChange(tab.value)}
        >
          {tab.label}
        </button>
      ))}
    </div>
  )
}
