/**
 * A small disk that a test can fill, owned by the user that PostgreSQL runs as.
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const idOf = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))

const mounted = (disk: string, megabytes: number): boolean => {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", disk], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** Mounts the disk, or returns why that is not possible. */
export const smallDisk = (megabytes = 1) => {
  if (process.getuid?.() !== 0) return "only root mounts a disk"
  const disk = mkdtempSync(join(tmpdir(), "svc-disk-"))
  if (!mounted(disk, megabytes)) {
    rmSync(disk, { recursive: true })
    return "this machine mounts no disk"
  }
  chmodSync(disk, 0o755)
  const folder = join(disk, "data")
  mkdirSync(folder, { mode: 0o700 })
  chownSync(folder, idOf("-u"), idOf("-g"))
  const filler = join(disk, "filler")
  return {
    folder,
    /** Fills the disk completely. */
    fill: () => {
      try {
        for (;;) writeFileSync(filler, new Uint8Array(4096), { flag: "a" })
      } catch (error) {
        if (!String(error).includes("ENOSPC")) throw error
      }
    },
    free: () => rmSync(filler),
    remove: () => {
      execFileSync("umount", ["-l", disk])
      rmSync(disk, { recursive: true })
    }
  }
}
