import { startScriptedModel } from '../../../fixtures/toys/scripted-model/index.js';
import type { ModelOrder, ModelWord } from './process-words.js';
import { toAnswers } from './scene.js';

// The model in a process of its own: its cost is not counted as the engine's, and it accepts connections while the
// engine computes. It lives as long as the process that forked it.

const { subjects, delay_ms } = JSON.parse(process.argv[2] ?? '') as ModelOrder;
const model = await startScriptedModel(toAnswers(subjects), { delay_ms });
process.on('disconnect', () => process.exit(0));
process.send?.({ url: model.url } satisfies ModelWord);
