/**
 * A button whose menu is loaded once the button is used: the first screen needs none of it.
 *
 * @module
 */
import { type ReactElement, Suspense, useState } from "react"

/** The button, and its menu in its place. The menu opens at once, since the button loaded it. */
export const MenuButton = ({
  button,
  menu
}: {
  readonly button: (open?: () => void) => ReactElement
  readonly menu: ReactElement
}) => {
  const [isLoaded, setLoaded] = useState(false)
  return isLoaded ? <Suspense fallback={button()}>{menu}</Suspense> : button(() => setLoaded(true))
}
