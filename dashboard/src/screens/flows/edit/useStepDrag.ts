/**
 * Moves steps by dragging their cards. React renders nothing during a drag: a label follows the pointer, and the drop target is
 * marked once per frame.
 *
 * @module
 */
import { type PointerEvent, type RefObject, useEffect, useRef } from "react"
import { type Place, placeAfter } from "../../../lib/flow.ts"
import { placeOfName } from "./Canvas.tsx"

/** How far the pointer must move before a press counts as a drag, in pixels. */
const leastPixels = 5

/** The distance from the canvas's edges at which it scrolls, in pixels. */
const edge = 48

interface Drag {
  readonly card: HTMLElement
  readonly startX: number
  readonly startY: number
  readonly pointerId: number
  x: number
  y: number
  isOn: boolean
  over: HTMLElement | null
  to: Place | null
}

interface Target {
  readonly element: HTMLElement
  readonly side: string
  readonly to: Place
}

/** Where a step would be dropped at a point of the window; null if nowhere. */
const targetAt = (canvas: HTMLElement, x: number, y: number): Target | null => {
  const element = document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-place],[data-slot],[data-end]")
  if (!element || !canvas.contains(element)) return null
  const { end, place, slot } = element.dataset
  if (place !== undefined) {
    const { height, top } = element.getBoundingClientRect()
    const isBefore = y < top + height / 2
    const to = placeOfName(place)
    return { element, side: isBefore ? "before" : "after", to: isBefore ? to : placeAfter(to) }
  }
  return { element, side: "into", to: placeOfName(slot ?? end ?? "0") }
}

/** How far to scroll for a pointer near the edges of a range. */
const pull = (at: number, from: number, to: number): number =>
  at < from + edge ? Math.max(-edge, at - from - edge) : at > to - edge ? Math.min(edge, at - to + edge) : 0

/** The event handlers for the canvas, and the ref for the label that follows the pointer. */
export const useStepDrag = (
  canvas: RefObject<HTMLElement | null>,
  onMove: (from: Place, to: Place) => void
) => {
  const ghost = useRef<HTMLSpanElement>(null)
  const drag = useRef<Drag | null>(null)

  const mark = (now: Drag, target: Target | null) => {
    if (now.over !== null) delete now.over.dataset["drop"]
    if (target !== null) target.element.dataset["drop"] = target.side
    now.over = target?.element ?? null
    now.to = target?.to ?? null
  }

  const draw = () => {
    const now = drag.current
    const area = canvas.current
    if (now === null || area === null) return
    const { bottom, left, right, top } = area.getBoundingClientRect()
    area.scrollBy(pull(now.x, left, right) / 4, pull(now.y, top, bottom) / 4)
    if (ghost.current !== null) ghost.current.style.transform = `translate(${now.x + 12}px, ${now.y + 12}px)`
    mark(now, targetAt(area, now.x, now.y))
    requestAnimationFrame(draw)
  }

  /** Ends the drag and returns the move; null if there is no valid target. */
  const end = (): { readonly from: Place; readonly to: Place } | null => {
    const now = drag.current
    drag.current = null
    if (now === null || !now.isOn) return null
    const { to } = now
    mark(now, null)
    delete now.card.dataset["dragged"]
    if (ghost.current !== null) ghost.current.hidden = true
    const from = now.card.dataset["place"]
    return to === null || from === undefined ? null : { from: placeOfName(from), to }
  }

  // Escape cancels the drag.
  useEffect(() => {
    const cancel = (event: KeyboardEvent) => {
      if (event.key === "Escape") end()
    }
    addEventListener("keydown", cancel)
    return () => removeEventListener("keydown", cancel)
  })

  const handlers = {
    onPointerDown: ({ button, clientX: x, clientY: y, pointerId, pointerType, target }: PointerEvent) => {
      // Touch scrolls the canvas instead.
      if (button !== 0 || pointerType === "touch") return
      const card = (target as Element).closest<HTMLElement>("[data-place]")
      if (card !== null)
        drag.current = { card, startX: x, startY: y, x, y, pointerId, isOn: false, over: null, to: null }
    },
    onPointerMove: ({ buttons, clientX: x, clientY: y }: PointerEvent) => {
      const now = drag.current
      if (now === null) return
      if (buttons === 0) {
        end()
        return
      }
      Object.assign(now, { x, y })
      if (now.isOn || Math.hypot(x - now.startX, y - now.startY) < leastPixels) return
      now.isOn = true
      // Capturing the pointer prevents the click at the end of a drag from selecting a card.
      canvas.current?.setPointerCapture(now.pointerId)
      now.card.dataset["dragged"] = ""
      if (ghost.current !== null) {
        ghost.current.textContent = now.card.querySelector("strong")?.textContent ?? ""
        ghost.current.hidden = false
      }
      draw()
    },
    onPointerUp: () => {
      const led = end()
      if (led !== null) onMove(led.from, led.to)
    },
    onPointerCancel: () => void end()
  }
  return { ghost, handlers }
}
