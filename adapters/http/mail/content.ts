/**
 * Handles the management endpoints of the content of emails, of resending them, and of simulated results in the sandbox.
 *
 * @module
 */
import { Effect } from "effect"
import type { Account } from "../../../core/model/Account.ts"
import { Emails } from "../../../core/sending/emails/Emails.ts"
import { EmailView, type FrameDocument } from "../../../core/sending/delivery/EmailView.ts"
import { InboxSimulation, simulationKinds } from "../../../core/sending/reports/InboxSimulation.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { oneOf } from "../../../core/shared/Validate.ts"
import { policyWith, withTargets } from "../edge/frame.ts"
import { created, document, type HandlerReply, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { encodeSubmission } from "../public/sending.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

/**
 * The reply with a document for a frame. The document runs no script, loads only images of the service, and has an origin of
 * its own (docs/security.md).
 */
const frameReply = ({ html, images }: FrameDocument): HandlerReply<never> => ({
  _tag: "Reply",
  status: 200,
  headers: {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policyWith(images),
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin"
  },
  body: withTargets(html)
})

const requireSandbox = ({ mode }: Account) =>
  mode === "Sandbox" ? Effect.void : Effect.fail(Problem.of("common.not_found"))

/** The content of emails. */
export const emailContentRoutes = Effect.gen(function* () {
  const emails = yield* Emails
  const view = yield* EmailView
  const simulation = yield* InboxSimulation
  return bind(ManagementApi.groups.emailContent, {
    content: Effect.fnUntraced(function* ({ account, params }) {
      const { content, isAsSent, submission } = yield* view.content(account, params.id)
      return ok({
        subject: submission.subject,
        html: content.html,
        text: content.text,
        isAsSent,
        headers: submission.headers.map(({ name, value }) => ({ name, value })),
        attachments: content.attachments.map(({ content: bytes, contentId, contentType, filename }) => ({
          filename,
          contentType,
          contentId,
          bytes: bytes.length
        })),
        frameUrl: `/manage/v1/accounts/${account.id}/emails/${submission.id}/frame`
      })
    }),
    raw: ({ account, params }) =>
      Effect.map(view.raw(account, params.id), (raw) => document("message/rfc822", raw)),
    frame: ({ account, params, query }) =>
      Effect.map(view.frame(account, params.id, query.images === "true"), frameReply),
    resend: ({ account, actor, params }) =>
      Effect.map(emails.resend(account.id, params.id, actor), (submission) =>
        created(encodeSubmission(submission))
      ),
    inboxFrame: Effect.fnUntraced(function* ({ account, params, query }) {
      yield* requireSandbox(account)
      return frameReply(yield* view.inboxFrame(account, params.id, query.images === "true"))
    }),
    simulate: Effect.fnUntraced(function* ({ account, actor, params, payload }) {
      yield* requireSandbox(account)
      const kind = simulationKinds.find((one) => one === payload.kind)
      if (kind === undefined) {
        return yield* Problem.of("validation.format", "kind", null, { expected: oneOf(simulationKinds) })
      }
      const id = yield* simulation.simulate(account.id, params.id, kind, actor)
      return ok(encodeSubmission(yield* emails.get(account.id, id)))
    })
  })
})
