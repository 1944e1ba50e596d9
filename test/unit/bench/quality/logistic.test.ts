import test from 'ava'
import { type Example, fitLogistic, logLoss, predict } from '../../../../bench/quality/logistic.js'

/** With the feature three of four labels are true, without it one of four. */
const toy: Example[] = [0, 1].flatMap(feature =>
  [0, 1, 2, 3].map(i => ({ features: [feature], label: i < 1 + 2 * feature, weight: 1 })),
)

test('a fit reproduces the log odds of the examples', t => {
  const model = fitLogistic(toy, 0)
  t.true(Math.abs(predict(model, [1]) - Math.log(3)) < 1e-6)
  t.true(Math.abs(predict(model, [0]) + Math.log(3)) < 1e-6)
})

test('a case of weight 2 counts as two cases', t => {
  const twice = fitLogistic([...toy, ...toy.filter(({ label }) => label)], 0)
  const heavy = fitLogistic(
    toy.map(one => ({ ...one, weight: one.label ? 2 : 1 })),
    0,
  )
  t.true(Math.abs(twice.constant - heavy.constant) < 1e-6)
  t.true(Math.abs(twice.coefficients[0]! - heavy.coefficients[0]!) < 1e-6)
})

test('a fit recovers the coefficients that generated the examples', t => {
  const drawn: Example[] = []
  for (let x = -3; x <= 3; x += 0.5) {
    for (let y = -3; y <= 3; y += 0.5) {
      const chance = 1 / (1 + Math.exp(-(0.7 * x - 1.2 * y + 0.4)))
      const features = [100 + 10 * x, y]
      drawn.push({ features, label: true, weight: chance }, { features, label: false, weight: 1 - chance })
    }
  }
  const { coefficients, constant } = fitLogistic(drawn, 0)
  t.true(Math.abs(coefficients[0]! - 0.07) < 1e-6)
  t.true(Math.abs(coefficients[1]! + 1.2) < 1e-6)
  t.true(Math.abs(constant - (0.4 - 7)) < 1e-6)
})

test('a ridge keeps coefficients finite when the examples are perfectly separable', t => {
  const apart = [-2, -1, 1, 2].map(x => ({ features: [x, 5], label: x > 0, weight: 1 }))
  const model = fitLogistic(apart, 1e-3)
  t.true(Number.isFinite(model.constant))
  t.true(predict(model, [1, 5]) > 0 && predict(model, [-1, 5]) < 0)
  t.true(Math.abs(model.coefficients[0]!) < 100)
})

test('log loss is ln 2 for a coin, lower for a better prediction, and weighted', t => {
  const sure = [
    { chance: 0.5, label: true, weight: 1 },
    { chance: 0.5, label: false, weight: 3 },
  ]
  t.true(Math.abs(logLoss(sure) - Math.LN2) < 1e-12)
  const knowing = logLoss([
    { chance: 0.9, label: true, weight: 1 },
    { chance: 0.2, label: false, weight: 3 },
  ])
  t.true(Math.abs(knowing + (Math.log(0.9) + 3 * Math.log(0.8)) / 4) < 1e-12)
  t.true(Number.isFinite(logLoss([{ chance: 0, label: true, weight: 1 }])))
})
