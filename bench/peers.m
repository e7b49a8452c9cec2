% Networks of bench_mva in octave's queueing package: medians of a few runs.
pkg load queueing
warning("off", "all");                   % the package uses operators of older versions
D = [0.072 0.018 0.072];

function seconds = median_of(f, runs)
  f();                                    % compile and warm up
  t = zeros(1, runs);
  for i = 1:runs
    start = tic; f(); t(i) = toc(start);
  end
  seconds = median(t);
end

printf("peer: octave %s, queueing %s\n", version, ver("queueing").Version);
printf("%-30s %-12s %s\n", "what", "size", "median");
one = @(K) qncsmva(K, D, [1 1 1], [1 1 1], 0.029);
for K = [10 1000]
  printf("%-30s K=%-10d %.4g ms\n", "one class, exact", K, 1e3 * median_of(@() one(K), 9));
end
rand("seed", 1);
for K = [8 10 12]
  S = 0.01 + 0.05 * rand(K, 3);
  Z = 2 * rand(1, K);
  many = @() qncmmva(ones(1, K), S, ones(K, 3), ones(1, 3), Z);
  printf("%-30s K=%-10d %.4g ms\n", "distinct workers, exact", K, 1e3 * median_of(many, 3));
end
