/**
 * Rejects `new Date()`, which reads the clock. No rule of the linter distinguishes it from `new Date(value)`, a conversion that
 * is allowed everywhere.
 */
const noCurrentDate = {
  meta: { type: "problem" },
  create(context) {
    const isDate = (node) => node.callee.type === "Identifier" && node.callee.name === "Date"
    const report = (node) =>
      context.report({ node, message: "Take `now` as an argument, or use Effect's Clock." })
    return {
      NewExpression(node) {
        if (isDate(node) && node.arguments.length === 0) report(node)
      },
      CallExpression(node) {
        if (isDate(node)) report(node)
      }
    }
  }
}

export default { meta: { name: "core" }, rules: { "no-current-date": noCurrentDate } }
