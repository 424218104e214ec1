/**
 * A thumbnail of a rendered email.
 *
 * @module
 */
import { useEffect, useState } from "react"
import { useEditorTexts } from "../../texts/editors/useEditorTexts.ts"
import styles from "./Templates.module.css"

/** How long a thumbnail must stay visible before it is loaded, in milliseconds, so that fast scrolling loads nothing. */
const restMillis = 150

/** The thumbnail. `src` is a route that returns an email for display in a frame. */
export const Thumbnail = ({ className, src }: { readonly src: string; readonly className?: string }) => {
  const { template: texts } = useEditorTexts()
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSeen(true), restMillis)
    return () => clearTimeout(timer)
  }, [])
  return (
    <span className={className ?? styles["thumbnail"]} aria-hidden="true" inert>
      {isSeen && (
        // The frame is sandboxed: no scripts run in it, and its origin is opaque.
        <iframe
          key={src}
          title={texts.preview}
          tabIndex={-1}
          sandbox=""
          loading="lazy"
          referrerPolicy="no-referrer"
          src={src}
        />
      )}
    </span>
  )
}
