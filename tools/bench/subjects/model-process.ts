import { startScriptedModel } from '../../../fixtures/toys/scripted-model/index.js';
import { type Scene, toAnswers } from '../documents.js';
import { answerAll } from '../helper.js';

// The model in a process of its own: its cost is not counted as the engine's, and it accepts connections while the
// engine computes.

const [scene = '', delay_ms] = process.argv.slice(2);
const model = await startScriptedModel(toAnswers(JSON.parse(scene) as Scene), { delay_ms: Number(delay_ms) });
answerAll(model.url, () => {});
