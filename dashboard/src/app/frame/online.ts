/**
 * Whether the browser has a network.
 *
 * @module
 */
import { onlineManager } from "@tanstack/react-query"
import { useSyncExternalStore } from "react"

const subscribe = (listener: () => void): (() => void) => onlineManager.subscribe(listener)

/** Whether the browser has a network, as it changes. */
export const useOnline = (): boolean => useSyncExternalStore(subscribe, () => onlineManager.isOnline())
