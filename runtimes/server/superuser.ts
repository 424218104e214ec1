/**
 * Warns if a server runs as root although it need not.
 *
 * @module
 */
import { Effect, FileSystem } from "effect"

/** Files that Docker and Podman create in containers, and systemd if it runs in a container, such as one of LXC or its own. */
const containerFiles = ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"]

/** Variables of systemd-nspawn and LXC (`container`), and of Kubernetes. */
const containerVariables = ["container", "KUBERNETES_SERVICE_HOST"]

/** The facts that determine whether a process should run as another user. */
export interface ProcessIdentity {
  /** The effective user id; undefined on systems without one. */
  readonly uid: number | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
}

const here = (): ProcessIdentity => ({ uid: process.geteuid?.(), environment: process.env })

/** The warning about a process that runs as root outside a container; null for any other. */
export const superuserWarning = Effect.fnUntraced(function* ({ environment, uid }: ProcessIdentity = here()) {
  if (uid !== 0 || containerVariables.some((name) => environment[name] !== undefined)) return null
  const { exists } = yield* FileSystem.FileSystem
  const found = yield* Effect.forEach(containerFiles, (path) =>
    Effect.orElseSucceed(exists(path), () => false)
  )
  if (found.includes(true)) return null
  return "The service runs as root: run it as a user of its own, as the unit deploy/systemd/svc.service does"
})
