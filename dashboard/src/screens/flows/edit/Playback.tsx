/**
 * Plays the log of a run or a simulation back step by step, with the progress shown on the canvas.
 *
 * @module
 */
import { useCallback } from "react"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { IconButton } from "../../../parts/form/Button.tsx"
import { Entry, Rows } from "../../../parts/page/Columns.tsx"
import { Card } from "../../../parts/page/Page.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"
import type { Mark } from "./Canvas.tsx"
import styles from "./Canvas.module.css"

/** An entry of the log. */
export interface Played {
  readonly stepId: string
  readonly at: string
  readonly outcome: string
}

/** The marks of the steps done up to an entry, by step id. */
export const marksOf = (
  path: ReadonlyArray<Played>,
  shown: number,
  outcomeOf: (outcome: string) => string
): ReadonlyMap<string, Mark> =>
  new Map(
    path
      .slice(0, shown + 1)
      .map(({ outcome, stepId }, at) => [
        stepId,
        { text: outcomeOf(outcome), isNow: at === shown, isSkipped: outcome.startsWith("skipped") }
      ])
  )

/** Why a step was skipped, in words. */
export const useSkipReason = () => {
  const { flow: texts } = useEditorTexts()
  const { emails } = useTexts()
  return useCallback(
    (reason: string): string => texts.skips[reason] ?? emails.reasons[reason] ?? reason,
    [emails, texts]
  )
}

/** The outcome of a step, in words. */
export const useOutcome = () => {
  const { flow: texts } = useEditorTexts()
  const reasonOf = useSkipReason()
  return useCallback(
    (outcome: string): string => {
      const [name = "", ...rest] = outcome.split(/[\s:]+/)
      return [texts.outcomes[name] ?? name, ...rest.map(reasonOf)].join(" ")
    },
    [reasonOf, texts]
  )
}

/** Scrolls the step where the person is into view, once it is rendered. */
export const follow = (canvas: { readonly current: HTMLElement | null }): void => {
  requestAnimationFrame(() =>
    canvas.current?.querySelector("[data-now]")?.scrollIntoView({ block: "nearest", inline: "nearest" })
  )
}

/** The log entries, and the buttons that move through them. */
export const Playback = ({
  names,
  onShow,
  path,
  shown
}: {
  readonly path: ReadonlyArray<Played>
  /** The names of the steps, by id. */
  readonly names: ReadonlyMap<string, string>
  /** The index of the current entry, from 0. */
  readonly shown: number
  readonly onShow: (shown: number) => void
}) => {
  const { flow: texts } = useEditorTexts()
  const format = useFormat()
  const outcomeOf = useOutcome()
  if (path.length === 0) return null
  const of = path[shown]
  return (
    <div className={styles["pairs"]} role="group" aria-label={texts.playback}>
      <div className={styles["tools"]}>
        <IconButton
          icon="left"
          label={texts.stepBack}
          disabled={shown === 0}
          onClick={() => onShow(shown - 1)}
        />
        <IconButton
          icon="right"
          label={texts.stepOn}
          disabled={shown >= path.length - 1}
          onClick={() => onShow(shown + 1)}
        />
        <span role="status">
          {texts.played(format.number(shown + 1), format.number(path.length))}
          {of !== undefined && (
            <>
              {" · "}
              <RelativeTime at={of.at} form="moment" />
            </>
          )}
        </span>
      </div>
      <Card isFlush>
        <Rows>
          {path.map(({ at, outcome, stepId }, index) => (
            <Entry
              // A step can be passed several times at the same time, so the index serves as the key.
              // oxlint-disable-next-line react/no-array-index-key
              key={index}
              text={outcomeOf(outcome)}
              end={<RelativeTime at={at} form="moment" />}
            >
              <button
                type="button"
                className={styles["entry"]}
                aria-current={index === shown ? "step" : undefined}
                onClick={() => onShow(index)}
              >
                <bdi>{names.get(stepId) ?? stepId}</bdi>
              </button>
            </Entry>
          ))}
        </Rows>
      </Card>
    </div>
  )
}
