// Lets the trace engine of Chrome's own DevTools read every timeline that is
// named: it must find each thread by its name, and each slice in its thread.
import { readFileSync } from 'node:fs';

// The engine was made for a browser.
globalThis.DOMRect ??= class {
  constructor(x, y, width, height) {
    Object.assign(this, { x, y, width, height });
  }
};
const { TraceModel } = await import('@paulirish/trace_engine/models/trace/trace.js');

/** What differs between a file and what the engine has read of it. */
async function differences(file) {
  const { traceEvents } = JSON.parse(readFileSync(file, 'utf8'));
  const model = TraceModel.Model.createWithAllHandlers();
  await model.parse(traceEvents, {});
  const { data } = model.parsedTrace();
  const threads = data.Renderer.processes.get(1)?.threads ?? new Map();
  const wrong = [];
  const nowhere = traceEvents.filter(({ ph, tid }) => ph === 'X' && !threads.has(tid));
  nowhere.forEach(({ name }) => wrong.push(`the slice ${name} is in no thread`));
  for (const event of traceEvents.filter(({ name }) => name === 'thread_name')) {
    const own = traceEvents.filter(({ tid }) => tid === event.tid);
    const slices = own.filter(({ ph }) => ph === 'X').length;
    const found = threads.get(event.tid);
    const name = data.Meta.threadsInProcess.get(1)?.get(event.tid)?.args.name;
    if (name !== event.args.name) {
      wrong.push(`thread ${event.tid} is called ${name}, not ${event.args.name}`);
    }
    const read = (found?.entries ?? []).filter(({ ph }) => ph === 'X').length;
    if (read !== slices) {
      wrong.push(`${event.args.name}: ${read} slices of ${slices}`);
    }
  }
  return wrong;
}

let taken = 0;
for (const file of process.argv.slice(2)) {
  const wrong = await differences(file).catch((error) => [error.message]);
  wrong.forEach((what) => console.error(`${file}: ${what}`));
  taken += wrong.length === 0 ? 1 : 0;
}
const files = process.argv.length - 2;
console.log(`Chrome's trace engine took ${taken} of ${files} timelines`);
process.exitCode = taken === files && files > 0 ? 0 : 1;
