/**
 * Loads the parts of the page when they are first shown. Where the service cannot be reached, what is shown waits until it can;
 * where a part is gone, as after an upgrade, that is noticed. The page is not loaded again by itself, by which what is edited
 * would be lost.
 *
 * @module
 */
import { lazyRouteComponent } from "@tanstack/react-router"
import { type ComponentType, lazy, type LazyExoticComponent } from "react"
import { basePath } from "../lib/within.ts"

/** How long it takes until a part is tried again that could not be reached, in milliseconds. */
const againMillis = 3_000

let isNoticed = false
const listeners = new Set<() => void>()

const set = (next: boolean): void => {
  isNoticed = next
  for (const listener of listeners) listener()
}

/** Whether the service answers for the page itself. */
const isReachable = (): Promise<boolean> =>
  fetch(`${basePath}/`, { method: "HEAD", cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false
  )

/** Begins to notice, before anything is loaded. */
export const noticeNewVersion = (): void =>
  addEventListener("vite:preloadError", (event) => {
    // Thrown, it would make the router load the page again.
    event.preventDefault()
    void isReachable().then((is) => is && set(true))
  })

/** Hides the offer until the next part is missing. */
export const dismissNewVersion = (): void => set(false)

/** Whether a part was missing, for `useSyncExternalStore`. */
export const isNewVersion = (): boolean => isNoticed

/** Subscribes to that. */
export const subscribeNewVersion = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

type Load<Module> = () => Promise<Module>

/** Loads a part, as soon as the service can be reached. */
const patiently = async <Module>(load: Load<Module>): Promise<Module> => {
  // Nothing, where it could not be loaded.
  const module = (await load()) as Module | undefined
  if (module !== undefined) return module
  if (await isReachable()) throw new Error("A part of the page is gone.")
  await new Promise((resolve) => setTimeout(resolve, againMillis))
  return patiently(load)
}

/** A screen, which is loaded when it is first shown. */
export const lazyScreen = <Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: Load<Module>,
  name: Name
) => lazyRouteComponent<Module, Name>(() => patiently(load), name)

type Components<Name extends string, Props> = Readonly<Record<Name, ComponentType<Props>>>

/** A component, which is loaded when it is first shown. */
export const lazyPart = <Name extends string, Props>(
  load: Load<Components<Name, Props>>,
  name: Name
): LazyExoticComponent<ComponentType<Props>> => lazy(async () => ({ default: (await patiently(load))[name] }))
