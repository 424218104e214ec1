/**
 * Defines the keys of objects. They are the same in a directory and in a bucket, so that either can be copied to the other:
 * `<account>/<first two digits of the hash>/<hash>.<id>`. They sort by hash, then by id.
 *
 * @module
 */
import type { ObjectName } from "../../core/model/Content.ts"

/** The folder of an object's key, without a slash at its end. */
export const folderOf = ({ accountId, hash }: ObjectName): string => `${accountId}/${hash.slice(0, 2)}`

/** The last part of an object's key. */
export const fileOf = ({ hash, id }: ObjectName): string => `${hash}.${id}`

/** An object's key. */
export const keyOf = (name: ObjectName): string => `${folderOf(name)}/${fileOf(name)}`

const pattern = /^([0-9a-f]{64})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** The name of an account's object, from the last part of its key; null for a key that the service did not make. */
export const nameOfFile = (accountId: string, file: string): ObjectName | null => {
  const [, hash, id] = pattern.exec(file) ?? []
  return hash === undefined || id === undefined ? null : { accountId, hash, id }
}
