/**
 * Watches whether the browser has a network connection.
 *
 * @module
 */
import { onlineManager } from "@tanstack/react-query"
import { useSyncExternalStore } from "react"

const subscribe = (listener: () => void): (() => void) => onlineManager.subscribe(listener)

/** Whether the browser has a network connection, as it changes. */
export const useOnline = (): boolean => useSyncExternalStore(subscribe, () => onlineManager.isOnline())
