/**
 * Loads the parts of the page when they are first shown. If the service cannot be reached, loading waits until it can. If a part
 * is gone, as after an upgrade, this is recorded, and the user is offered to reload. The page does not reload by itself, because
 * unsaved edits would be lost.
 *
 * @module
 */
import { lazyRouteComponent } from "@tanstack/react-router"
import { type ComponentType, lazy, type LazyExoticComponent } from "react"
import { basePath } from "../lib/within.ts"

/** How long to wait before loading a part again after the service could not be reached, in milliseconds. */
const againMillis = 3_000

let isNoticed = false
const listeners = new Set<() => void>()

const set = (next: boolean): void => {
  isNoticed = next
  for (const listener of listeners) listener()
}

/** Whether the service responds to a request for the page itself. */
const isReachable = (): Promise<boolean> =>
  fetch(`${basePath}/`, { method: "HEAD", cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false
  )

/** Starts watching for parts that are gone. Must run before anything is loaded. */
export const noticeNewVersion = (): void =>
  addEventListener("vite:preloadError", (event) => {
    // If the error were thrown, the router would reload the page.
    event.preventDefault()
    void isReachable().then((is) => is && set(true))
  })

/** Hides the offer until another part is missing. */
export const dismissNewVersion = (): void => set(false)

/** Whether a part was missing, for `useSyncExternalStore`. */
export const isNewVersion = (): boolean => isNoticed

/** Subscribes to `isNewVersion`. */
export const subscribeNewVersion = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

type Load<Module> = () => Promise<Module>

/** Loads a part, retrying until the service can be reached. */
const patiently = async <Module>(load: Load<Module>): Promise<Module> => {
  // Undefined if it could not be loaded, because the handler above prevents the error.
  const module = (await load()) as Module | undefined
  if (module !== undefined) return module
  if (await isReachable()) throw new Error("A part of the page is gone.")
  await new Promise((resolve) => setTimeout(resolve, againMillis))
  return patiently(load)
}

/** A screen that is loaded when it is first shown. */
export const lazyScreen = <Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: Load<Module>,
  name: Name
) => lazyRouteComponent<Module, Name>(() => patiently(load), name)

type Components<Name extends string, Props> = Readonly<Record<Name, ComponentType<Props>>>

/** A component that is loaded when it is first shown. */
export const lazyPart = <Name extends string, Props>(
  load: Load<Components<Name, Props>>,
  name: Name
): LazyExoticComponent<ComponentType<Props>> => lazy(async () => ({ default: (await patiently(load))[name] }))
