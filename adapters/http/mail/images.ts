/**
 * Handles the management endpoints of images.
 *
 * @module
 */
import { Effect } from "effect"
import { Images } from "../../../core/images/Images.ts"
import type { Image } from "../../../core/model/Image.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { listed } from "../edge/lists.ts"
import { created, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

/** Images. */
export const imagesRoutes = Effect.map(Images, (images) => {
  const encodeImage = (image: Image) => ({
    id: image.id,
    url: images.urlOf(image),
    name: image.name,
    type: image.type,
    width: image.width,
    height: image.height,
    bytes: image.bytes,
    createdAt: formatDateTime(image.createdAt)
  })
  return bind(ManagementApi.groups.images, {
    upload: Effect.fnUntraced(function* ({ account, actor, body, query }) {
      return created(encodeImage(yield* images.upload(account.id, yield* body(), query.name, actor)))
    }),
    list: Effect.fnUntraced(function* ({ account, page }) {
      return ok(listed(page, yield* images.list(account.id, page), encodeImage))
    }),
    get: Effect.fnUntraced(function* ({ account, params }) {
      return ok(encodeImage(yield* images.get(account.id, params.id)))
    }),
    remove: Effect.fnUntraced(function* ({ account, actor, params }) {
      yield* images.remove(account.id, params.id, actor)
      return ok(null)
    })
  })
})
