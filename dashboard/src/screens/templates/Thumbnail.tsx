/**
 * An email as it looks, too small to be read.
 *
 * @module
 */
import { useEffect, useState } from "react"
import { useEditorTexts } from "../../texts/editors/useEditorTexts.ts"
import styles from "./Templates.module.css"

/** How long it stays in sight before it is loaded, in milliseconds: what is scrolled past loads nothing. */
const restMillis = 150

/** The picture. `src` is a route that shows an email for a frame. */
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
        // Nothing in it runs, and its origin is no other's.
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
